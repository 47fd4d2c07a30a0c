// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.PRODUCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * An idempotent producer with five batches in flight while the path of its requests changes: RDMA is switched off and
 * on, the link is lost, the connection is reset. Each sequence is acknowledged once at the same offset, and the log
 * equals that of an undisturbed producer.
 */
final class PathSwitchCases {
    private static final long PRODUCER_ID = BatchText.FIRST_CHOSEN_PRODUCER_ID + 100;

    private static final int LARGE_BYTES = 200_000;
    private static final long PATIENCE_S = 30;

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
                Case.of("transactions-while-rdma-is-switched", PathSwitchCases::transactions)
                        .byRdma(PRODUCE)
                        .fallsBackFor("disabled"),
                Case.of("five-in-flight-when-the-connection-is-reset", PathSwitchCases::reset)
                        .byRdma(PRODUCE));
    }

    /**
     * Every few batches a large one follows, which takes the broker long enough for the next one to overtake it on
     * another path.
     */
    private static void switched(ArmContext arm) throws Exception {
        RetryingProducer producer = new RetryingProducer(arm, arm.topic("t", 1), PRODUCER_ID);
        ExecutorService switching = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 6; round++) {
                producer.accelerate();
                Future<?> off = null;
                Future<?> on = null;
                for (int i = 0; i < 60; i++) {
                    if (i == 10 + round) {
                        off = switching.submit(() -> arm.arm().switchRdma(false));
                    } else if (i == 40 + round) {
                        on = switching.submit(() -> arm.arm().switchRdma(true));
                    }
                    producer.send(i % 4 == 0 ? LARGE_BYTES : arm.random().nextInt(300));
                }
                off.get(PATIENCE_S, TimeUnit.SECONDS);
                on.get(PATIENCE_S, TimeUnit.SECONDS);
            }
        } finally {
            switching.shutdownNow();
        }
        producer.flush();
        // Switching closes no connection.
        arm.note("connected again", producer.reconnects());
    }

    /** Some batches of a transaction take one path, some the other, interleaved with those of another producer. */
    private static void transactions(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawClient other = arm.connect();
        for (boolean commit : new boolean[] {true, false, true}) {
            RawTransaction transaction = RawTransaction.begin(arm, client, "switched", topic);
            transaction.produce(arm.values(2, 50));
            arm.arm().switchRdma(false);
            transaction.produce(arm.values(1, 50));
            arm.produce(other, topic, 0, arm.batch(1, 50));
            arm.arm().switchRdma(true);
            arm.accelerate(client);
            transaction.produce(arm.values(1, 50));
            arm.accelerate(other);
            arm.produce(other, topic, 0, arm.batch(1, 50));
            transaction.end(commit);
        }
        for (int offset : new int[] {0, 7}) {
            arm.fetch(client, topic, 0, offset);
        }
    }

    private static void linkLost(ArmContext arm) throws IOException {
        RetryingProducer producer = new RetryingProducer(arm, arm.topic("t", 1), PRODUCER_ID);
        int losses = 0;
        for (int round = 0; round < 18; round++) {
            producer.accelerate();
            for (int i = 0; i < 400; i++) {
                if (i == 100 + round) {
                    losses += arm.arm().loseLinks();
                }
                producer.send();
            }
        }
        producer.flush();
        if (arm.arm().kind().byRdma()) {
            assertThat(losses).as("control connections that the script cut").isPositive();
            // Otherwise no loss hit a request with an unknown outcome, and nothing was fenced.
            assertThat(producer.reconnects())
                    .as("connections that ended because of a lost link")
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
}
