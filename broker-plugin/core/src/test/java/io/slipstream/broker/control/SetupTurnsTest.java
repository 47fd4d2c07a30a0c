// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SetupTurnsTest {
    private static final int MOST_WAITING = 3;

    private final PluginMeters counters = new PluginMeters();
    private final SetupTurns turns = new SetupTurns(MOST_WAITING, counters);
    private final List<CompletableFuture<SetupTurns.Turn>> first = new ArrayList<>();

    private void fill() {
        for (int i = 0; i < SetupTurns.MOST_AT_ONCE; i++) {
            first.add(turns.take("proxy-" + i, 0));
        }
        assertThat(first).allMatch(turn -> turn.getNow(null) != null);
    }

    @Test
    void shouldLetFurtherLinksWaitInTheirOrder() {
        fill();
        CompletableFuture<SetupTurns.Turn> second = turns.take("second", 1);
        CompletableFuture<SetupTurns.Turn> third = turns.take("third", 2);
        assertThat(waiting()).isEqualTo(2);
        assertThat(second).isNotDone();

        turns.end(first.get(7).join(), 3);
        assertThat(second.getNow(null)).isNotNull();
        assertThat(third).isNotDone();

        turns.end(first.get(7).join(), 4);
        assertThat(third).as("a turn that ended twice").isNotDone();

        turns.end(second.join(), 5);
        assertThat(third.getNow(null)).isNotNull();
        assertThat(waiting()).isZero();
    }

    @Test
    void shouldNotWaitForAProxyThatDoesNotFinish() {
        fill();
        CompletableFuture<SetupTurns.Turn> next = turns.take("next", 1);
        turns.proceed(SetupTurns.LONGEST_TURN_NS);
        assertThat(next).isNotDone();

        turns.proceed(SetupTurns.LONGEST_TURN_NS + 1);
        assertThat(next.getNow(null)).isNotNull();
    }

    @Test
    void shouldRefuseWhatWaitedTooLongOrIsTooMuch() {
        fill();
        CompletableFuture<SetupTurns.Turn> late = turns.take("late", 0);
        long nowNs = SetupTurns.LONGEST_WAIT_NS + 1;
        turns.proceed(nowNs);
        assertThat(late).isCompletedWithValue(null);

        for (int i = 0; i < SetupTurns.MOST_AT_ONCE + MOST_WAITING; i++) {
            turns.take("again-" + i, nowNs);
        }
        assertThat(turns.take("one too many", nowNs)).isCompletedWithValue(null);
        assertThat(waiting()).isEqualTo(MOST_WAITING);
    }

    @Test
    void shouldForgetProxiesThatAreGone() {
        fill();
        CompletableFuture<SetupTurns.Turn> gone = turns.take("gone", 1);
        CompletableFuture<SetupTurns.Turn> next = turns.take("next", 2);

        turns.forget("gone");
        turns.end(first.get(0).join(), 3);

        assertThat(gone).isNotDone();
        assertThat(next.getNow(null)).isNotNull();
        assertThat(waiting()).isZero();
    }

    private long waiting() {
        return counters.get(PluginMeter.LINKS_WAITING);
    }
}
