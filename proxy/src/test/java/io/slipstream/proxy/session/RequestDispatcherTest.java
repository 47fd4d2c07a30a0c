// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.proxy.spi.AnswerTranslation;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The order of requests, with a real upstream connection on an embedded channel, and a fast path that the test answers.
 */
class RequestDispatcherTest {
    static final short HEARTBEAT = 12;

    private final HandFedSession session = new HandFedSession();

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void shouldPipelineRequestsOverTcp() {
        session.request(HEARTBEAT, 1);
        session.request(KafkaApi.METADATA, 2);
        session.request(HEARTBEAT, 3);
        assertThat(session.forwarded()).containsExactly(1, 2, 3);
    }

    @Test
    void shouldPipelineProduceOnTheFastPathOnly() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(HEARTBEAT, 3);
        assertThat(session.submitted()).containsExactly(1, 2);
        assertThat(session.forwarded()).isEmpty();
        assertThat(session.dispatcher.hasQueued()).isTrue();

        session.answerFast(2);
        assertThat(session.forwarded()).isEmpty();
        session.answerFast(1);
        assertThat(session.forwarded()).containsExactly(3);
        assertThat(session.written).containsExactly(1, 2);
    }

    @Test
    void shouldNotUseTheFastPathWhileTcpIsUnanswered() {
        session.request(HEARTBEAT, 1);
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.submitted()).isEmpty();
        session.answerTcp(1);
        assertThat(session.submitted()).containsExactly(2);
    }

    @Test
    void shouldNotLetAnAnswersFailureReachTheFastPath() {
        session.thrownOnAnswer = new IllegalStateException("as the test wants it");
        session.request(KafkaApi.PRODUCE, 1);
        session.respond(1);
        assertThatThrownBy(session::takeTurns).isSameAs(session.thrownOnAnswer);
    }

    /** Shared memory may have the answer when the request was posted, a device never. */
    @Test
    void shouldNotAnswerInsideTheSubmission() {
        session.answersAtOnce = true;
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.FETCH, 2);
        assertThat(session.written).containsExactly(1, 2);
        assertThat(session.violations).isEmpty();
    }

    @Test
    void shouldRunAFetchAlone() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.FETCH, 2);
        assertThat(session.submitted()).containsExactly(1);
        session.answerFast(1);
        assertThat(session.submitted()).containsExactly(1, 2);
        session.request(KafkaApi.PRODUCE, 3);
        assertThat(session.submitted()).containsExactly(1, 2);
        session.answerFast(2);
        assertThat(session.submitted()).containsExactly(1, 2, 3);
    }

    @Test
    void shouldRunARequestOfTheRingAlone() {
        session.ringCarriesHeartbeats = true;
        session.request(KafkaApi.PRODUCE, 1);
        session.request(HEARTBEAT, 2);
        session.request(HEARTBEAT, 3);
        session.request(KafkaApi.PRODUCE, 4);
        assertThat(session.submitted()).containsExactly(1);
        session.answerFast(1);
        assertThat(session.submitted()).containsExactly(1, 2);
        session.answerFast(2);
        assertThat(session.submitted()).containsExactly(1, 2, 3);
        session.answerFast(3);
        assertThat(session.submitted()).containsExactly(1, 2, 3, 4);
        assertThat(session.forwarded()).isEmpty();
    }

    /** The answer names a broker whose port is not open yet. */
    @Test
    void shouldSendNothingElseWhileAnAnswerIsAdapted() {
        session.ringCarriesHeartbeats = true;
        session.adaptsLater = true;
        session.request(HEARTBEAT, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(KafkaApi.METADATA, 3);
        session.answerFast(1);
        assertThat(session.submitted()).containsExactly(1);
        assertThat(session.written).isEmpty();
        session.adaptsLater = false;
        session.toAdapt.run();
        assertThat(session.written).containsExactly(1);
        session.answerFast(2);
        session.answerTcp(3);
        assertThat(session.written).containsExactly(1, 2, 3);
    }

    @Test
    void shouldForwardWhatFallsBackAtOnce() {
        session.fallBackAtOnce = true;
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.forwarded()).containsExactly(1, 2);
        session.answerTcp(1);
        session.answerTcp(2);
        assertThat(session.written).containsExactly(1, 2);
    }

    @Test
    void shouldForwardWhatFallsBackLaterBehindWhatIsStillPending() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(KafkaApi.PRODUCE, 3);
        session.fallBack(2);
        session.fallBack(3);
        assertThat(session.forwarded()).isEmpty();
        session.answerFast(1);
        assertThat(session.forwarded()).containsExactly(2, 3);
    }

    @Test
    void shouldForwardInOrderWhateverFallsBackFirst() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(KafkaApi.PRODUCE, 3);
        session.fallBack(3);
        session.fallBack(2);
        session.request(KafkaApi.PRODUCE, 4);
        assertThat(session.forwarded()).isEmpty();
        assertThat(session.submitted()).as("nothing goes behind them").containsExactly(1, 2, 3);
        session.answerFast(1);
        assertThat(session.forwarded()).startsWith(2, 3);
    }

    /** A part of an answer, read by RDMA. */
    private static final class Part implements AnswerTranslation {
        private int releases;

        @Override
        public int translate(ByteBuffer response) {
            return response.remaining();
        }

        @Override
        public long records() {
            return 7;
        }

        @Override
        public void release() {
            releases++;
        }
    }

    @Test
    void shouldReleaseThePartOfAnAnswerWhoseRestNeverComes() {
        Part part = new Part();
        session.request(KafkaApi.FETCH, 1);
        session.fallBack(1, part);
        assertThat(session.forwarded()).containsExactly(1);
        assertThat(part.releases).isZero();
        session.close();
        assertThat(part.releases).isPositive();
    }

    @Test
    void shouldReleaseThePartOfAnAnswerToAClosedConnection() {
        Part part = new Part();
        session.request(KafkaApi.FETCH, 1);
        session.dispatcher.close();
        session.fallBack(1, part);
        assertThat(part.releases).isPositive();
    }

    @Test
    void shouldNotStayOnTcpBehindARequestThatRdmaServesInPart() {
        session.request(KafkaApi.FETCH, 1);
        session.fallBack(1, new Part());
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.forwarded()).containsExactly(1);
        session.answerTcp(1);
        assertThat(session.submitted()).containsExactly(1, 2);
    }

    @Test
    void shouldAskSomethingSmallBetweenUnansweredTcpAndTheFastPath() {
        session.fallBackAtOnce = true;
        session.requestWithoutResponse(1);
        session.fallBackAtOnce = false;
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.submitted()).isEmpty();
        assertThat(session.forwardedApis()).containsExactly((int) KafkaApi.PRODUCE, (int) KafkaApi.API_VERSIONS);

        session.answerBarrier();
        assertThat(session.submitted()).containsExactly(2);
    }

    @Test
    void shouldWaitWhileTheFastPathIsMuted() {
        session.muted = true;
        session.request(KafkaApi.PRODUCE, 1);
        assertThat(session.submitted()).isEmpty();
        session.muted = false;
        session.mark();
        session.takeTurns();
        assertThat(session.submitted()).containsExactly(1);
    }

    @Test
    void shouldKeepOrderAndAnswerEverythingWhateverHappens() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        int rounds = Boolean.getBoolean("slipstream.thorough") ? 500 : 50;
        for (int round = 0; round < rounds; round++) {
            try (HandFedSession one = new HandFedSession()) {
                one.ringCarriesHeartbeats = random.nextBoolean();
                int sent = 0;
                for (int step = 0; step < 300 || one.written.size() < sent; step++) {
                    assertThat(step).as("stuck, seed %d", seed).isLessThan(20_000);
                    if (step < 300 && !one.dispatcher.hasQueued() && !one.dispatcher.sequencer.isFull()) {
                        short[] apis = {KafkaApi.PRODUCE, KafkaApi.PRODUCE, KafkaApi.FETCH, HEARTBEAT};
                        one.fallBackAtOnce = random.nextInt(10) == 0;
                        one.request(apis[random.nextInt(apis.length)], ++sent);
                    }
                    one.step(random);
                    assertThat(one.violations).as("seed %d", seed).isEmpty();
                }
                for (int i = 0; i < sent; i++) {
                    assertThat(one.written.get(i)).as("seed %d", seed).isEqualTo(i + 1);
                }
            }
        }
    }
}
