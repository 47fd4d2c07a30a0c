// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

class RingSessionTest {
    private final RingSession session = new RingSession(new BoundSession(
            1,
            1,
            new ObservedConnection("connection", "", "PLAINTEXT", "User:alice", false, null),
            SessionLifetime.UNLIMITED));
    private final ArrayDeque<RingFrameIn> ready = new ArrayDeque<>();

    private RingFrameIn frame(long sequence) {
        return new RingFrameIn(null, session, 1, sequence, 0, 64, ByteBuffer.allocate(0));
    }

    @Test
    void shouldHandOutHeldRequestsInTheirOrderBeforeLaterOnes() {
        RingFrameIn first = frame(0);
        RingFrameIn[] held = {frame(1), frame(2), frame(3)};
        RingFrameIn later = frame(4);
        ready.add(later);

        assertThat(session.holdBack(first)).as("no barrier").isFalse();
        session.setBarrier(first);
        for (RingFrameIn each : held) {
            assertThat(session.holdBack(each)).isTrue();
        }
        session.liftBarrier(held[0], ready);
        assertThat(ready).as("another request is answered").containsExactly(later);
        session.liftBarrier(first, ready);
        assertThat(ready).containsExactly(held[0], held[1], held[2], later);
        assertThat(session.holdBack(frame(5))).isFalse();
    }

    @Test
    void shouldLetOneOfBrokerAndEndAnswerALateRequest() {
        RingFrameIn soon = frame(0);
        RingFrameIn join = frame(1);
        assertThat(session.takeAnswer(soon)).isTrue();
        assertThat(session.answerLate(join)).isTrue();
        assertThat(session.answerLate(frame(2))).as("a second one").isFalse();
        assertThat(session.takeAnswer(join)).as("the broker answers").isTrue();
        assertThat(session.takeLate()).as("at the end").isNull();

        RingFrameIn again = frame(3);
        assertThat(session.answerLate(again)).isTrue();
        assertThat(session.takeLate()).as("at the end").isSameAs(again);
        assertThat(session.takeAnswer(again))
                .as("the broker answers after that")
                .isFalse();

        session.bound.end();
        assertThat(session.answerLate(frame(4)))
                .as("after the end nobody else would answer")
                .isFalse();
    }

    @Test
    void shouldHoldNoReplyOfAnIdempotentProducerForItsNextRequest() {
        session.handedOutIn = 7;
        assertThat(session.mayHoldReplies(7)).isTrue();
        session.setAcksAll(true);
        assertThat(session.mayHoldReplies(7)).isFalse();
        assertThat(session.mayHoldReplies(8)).as("the reply was posted since").isTrue();
    }
}
