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
        turn.keep.mark(() -> done.add("keep"), unexpected).set();
        turn.out.mark(() -> done.add("out"), unexpected).set();
        turn.in.mark(() -> done.add("in"), unexpected).set();
        assertThat(done).isEmpty();

        loop.runPendingTasks();
        assertThat(done).containsExactly("in", "out", "keep");
    }

    @Test
    void shouldRunOnceHoweverOftenItIsMarked() {
        LoopTurn.Mark mark = turn.out.mark(() -> done.add("out"), unexpected);
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
        LoopTurn.Mark answer = turn.out.mark(() -> done.add("answered"), unexpected);
        LoopTurn.Mark keep = turn.keep.mark(() -> done.add("kept"), unexpected);
        LoopTurn.Mark request = turn.out.mark(
                () -> {
                    done.add("posted");
                    in[0].set();
                },
                unexpected);
        in[0] = turn.in.mark(
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
        turn.out
                .mark(
                        () -> {
                            throw thrown;
                        },
                        told::add)
                .set();
        turn.out.mark(() -> done.add("other"), unexpected).set();
        loop.runPendingTasks();
        assertThat(told).containsExactly(thrown);
        assertThat(done).containsExactly("other");
    }

    @Test
    void shouldLetTheLoopGoOnWithOtherWorkAfterManyPolls() {
        LoopTurn.Mark[] in = new LoopTurn.Mark[1];
        in[0] = turn.in.mark(
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
