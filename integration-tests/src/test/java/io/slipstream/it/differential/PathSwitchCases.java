package io.slipstream.it.differential;

import static io.slipstream.it.differential.Case.Api.PRODUCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;

/**
 * An idempotent producer with five batches in flight while the way of its requests changes under it: RDMA is switched off and on, the link is lost,
 * the connection is reset, the broker restarts. Whatever happens in between, each sequence is acknowledged once at the same offset, and the log
 * is that of a producer to whom nothing happened.
 */
final class PathSwitchCases {
    private static final long PRODUCER_ID = BatchText.FIRST_CHOSEN_PRODUCER_ID + 100;

    private PathSwitchCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("five-in-flight-while-rdma-is-switched", PathSwitchCases::switched)
                        .byRdma(PRODUCE)
                        .fallsBackFor("disabled")
                        .inCore(),
                Case.of("five-in-flight-while-the-link-is-lost", PathSwitchCases::linkLost)
                        .byRdma(PRODUCE)
                        .inCore(),
                Case.of("five-in-flight-when-the-connection-is-reset", PathSwitchCases::reset)
                        .byRdma(PRODUCE),
                Case.of("sequences-over-a-restart-of-the-broker", PathSwitchCases::restarted)
                        .byRdma(PRODUCE));
    }

    private static void switched(ArmContext arm) throws IOException {
        RetryingProducer producer = new RetryingProducer(arm, arm.topic("t", 1), PRODUCER_ID);
        for (int round = 0; round < 8; round++) {
            producer.accelerate();
            for (int i = 0; i < 120; i++) {
                if (i % 40 == 20 + round) {
                    arm.arm().switchRdma(i > 60);
                }
                producer.send();
            }
        }
        arm.arm().switchRdma(true);
        producer.flush();
        // Switching ends no connection.
        arm.note("connected again", producer.reconnects());
    }

    private static void linkLost(ArmContext arm) throws IOException {
        RetryingProducer producer = new RetryingProducer(arm, arm.topic("t", 1), PRODUCER_ID);
        int losses = 0;
        for (int round = 0; round < 6; round++) {
            producer.accelerate();
            for (int i = 0; i < 400; i++) {
                if (i == 100 + round) {
                    losses += arm.arm().loseLinks();
                }
                producer.send();
            }
        }
        producer.flush();
        if (arm.arm().kind() == ArmKind.PROXY_RDMA) {
            assertThat(losses).as("control connections that were cut").isPositive();
            // Or no loss ever met a request whose outcome was unknown, and nothing was fenced.
            assertThat(producer.reconnects())
                    .as("connections that ended with a link")
                    .isPositive();
        }
    }

    private static void reset(ArmContext arm) throws IOException {
        RetryingProducer producer = new RetryingProducer(arm, arm.topic("t", 1), PRODUCER_ID);
        for (int i = 0; i < 200; i++) {
            producer.send();
            if (i % 20 == 19) {
                producer.reset();
            }
        }
        producer.flush();
    }

    /** The broker then remembers each producer's last batch only, so nothing is in flight, and that one is what is sent again. */
    private static void restarted(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RetryingProducer producer = new RetryingProducer(arm, topic, PRODUCER_ID);
        for (int i = 0; i < 50; i++) {
            producer.send();
        }
        producer.flush();
        arm.restartBroker(topic);
        producer.repeat();
        for (int i = 0; i < 50; i++) {
            producer.send();
        }
        producer.flush();
    }
}
