// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LoopTurnTest {
    private final EmbeddedChannel loop = new EmbeddedChannel();
    private final LoopTurn turn = new LoopTurn(loop.eventLoop());
    private final List<String> done = new ArrayList<>();
    private final Consumer<Throwable> unexpected = thrown -> done.add(thrown.toString());

    @Test
    void shouldTakeInBeforeItGivesOutAndKeepLast() {
        turn.keep(() -> done.add("keep"), unexpected).set();
        turn.out(() -> done.add("out"), unexpected).set();
        turn.in(() -> done.add("in"), unexpected).set();
        assertThat(done).isEmpty();

        loop.runPendingTasks();
        assertThat(done).containsExactly("in", "out", "keep");
    }

    @Test
    void shouldRunOnceHoweverOftenItIsMarked() {
        LoopTurn.Mark mark = turn.out(() -> done.add("out"), unexpected);
        mark.set();
        mark.set();
        loop.runPendingTasks();
        assertThat(done).containsExactly("out");

        mark.set();
        loop.runPendingTasks();
        assertThat(done).containsExactly("out", "out");
    }

    @Test
    void shouldTakeWhatCompletesAtOnceBeforeItKeeps() {
        LoopTurn.Mark[] in = new LoopTurn.Mark[1];
        LoopTurn.Mark answer = turn.out(() -> done.add("answered"), unexpected);
        LoopTurn.Mark keep = turn.keep(() -> done.add("kept"), unexpected);
        LoopTurn.Mark request = turn.out(
                () -> {
                    done.add("posted");
                    in[0].set();
                },
                unexpected);
        in[0] = turn.in(
                () -> {
                    done.add("completed");
                    keep.set();
                    answer.set();
                },
                unexpected);
        request.set();
        loop.runPendingTasks();
        assertThat(done).containsExactly("posted", "completed", "answered", "kept");
    }

    @Test
    void shouldGoOnWithTheOthersWhenOneThrows() {
        RuntimeException thrown = new RuntimeException("as the test wants it");
        List<Throwable> told = new ArrayList<>();
        turn.out(
                        () -> {
                            throw thrown;
                        },
                        told::add)
                .set();
        turn.out(() -> done.add("other"), unexpected).set();
        loop.runPendingTasks();
        assertThat(told).containsExactly(thrown);
        assertThat(done).containsExactly("other");
    }

    @Test
    void shouldLetTheLoopGoOnWithOtherWorkAfterManyPolls() {
        LoopTurn.Mark[] in = new LoopTurn.Mark[1];
        in[0] = turn.in(
                () -> {
                    done.add("polled");
                    if (done.size() < 40) {
                        in[0].set();
                    }
                },
                unexpected);
        in[0].set();
        loop.eventLoop().execute(() -> done.add("other"));
        loop.runPendingTasks();
        assertThat(done.indexOf("other")).isBetween(1, 20);
        assertThat(done).hasSizeGreaterThanOrEqualTo(40);
    }
}
