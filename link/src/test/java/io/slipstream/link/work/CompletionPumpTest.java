// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.rdma.WorkCompletion;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CompletionPumpTest extends NoCompletions implements CompletionPump.Sink {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int NEVER = -1;

    private final EmbeddedChannel loop = new EmbeddedChannel();
    private int outstanding;
    /** Number of the poll that finds a completion. */
    private int completesAt = NEVER;

    private int polls;
    private int pollsAtArm;
    private int handled;

    private void turn(long spinNs) {
        new CompletionPump(new LoopTurn(loop.eventLoop()), this, spinNs, this).mark();
        loop.runPendingTasks();
    }

    @Test
    void shouldPollInPlaceForOutstandingWork() {
        outstanding = 1;
        completesAt = 1000;
        turn(LONG_NS);
        assertThat(handled).isEqualTo(1);
        assertThat(pollsAtArm).isEqualTo(1000);
    }

    @Test
    void shouldArmAtOnceWithASpinOfZero() {
        outstanding = 1;
        turn(0);
        assertThat(pollsAtArm).isEqualTo(1);
        assertThat(polls).as("once more after arming").isEqualTo(2);
    }

    @Test
    void shouldArmAtOnceWithoutOutstandingWork() {
        turn(LONG_NS);
        assertThat(pollsAtArm).isEqualTo(1);
        assertThat(polls).as("once more after arming").isEqualTo(2);
    }

    @Test
    void shouldArmWhenTheSpinIsInVain() {
        outstanding = 1;
        turn(1_000_000);
        assertThat(pollsAtArm).isGreaterThan(1);
        assertThat(polls).isEqualTo(pollsAtArm + 1);
    }

    @Override
    public int poll(WorkCompletion[] completions) {
        return ++polls == completesAt ? 1 : 0;
    }

    @Override
    public void arm() {
        pollsAtArm = polls;
    }

    @Override
    public void onCompletion(WorkCompletion completion) {
        handled++;
        outstanding--;
    }

    @Override
    public void onThrown(Throwable thrown) {
        throw new AssertionError(thrown);
    }

    @Override
    public void onIdle() {}

    @Override
    public int outstanding() {
        return outstanding;
    }
}
