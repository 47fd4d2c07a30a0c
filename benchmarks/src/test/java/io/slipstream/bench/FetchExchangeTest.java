// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.harness.raw.TopicRef;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

/** The measuring client at a server with a constant answer. */
class FetchExchangeTest {
    private static final TopicRef TOPIC = new TopicRef("t", Uuid.randomUuid());
    private static final FilledLog EMPTY = FilledLog.empty(TOPIC);
    private static final FilledLog FILLED = new FilledLog(TOPIC, 500, 0);
    private static final Workload FOUR = Sweeps.FETCH_BANDWIDTH.stream()
            .filter(workload -> workload.name().equals("FETCH_PARTITIONS_4"))
            .findAny()
            .orElseThrow();
    private static final short NONE = 0;

    @Test
    void shouldHaveOneAnswerForEachConnection() throws Exception {
        Workload workload = Workload.EMPTY_FETCH_CONNECTIONS;
        try (EchoFloor server = EchoFloor.start(FetchAnswers.of(0, NONE, MemoryRecords.EMPTY));
                FetchExchange exchange = FetchExchange.open(workload, address(server), EMPTY, true)) {
            BitSet answered = new BitSet();
            for (int slot = 0; slot < workload.inFlight(); slot++) {
                exchange.send(slot);
            }
            for (int i = 0; i < workload.inFlight(); i++) {
                answered.set(exchange.receive());
            }

            assertThat(answered.cardinality()).isEqualTo(workload.inFlight());
            assertThat(exchange.recordBytes()).isZero();
        }
    }

    @Test
    void shouldCountRecordsAndAskAgainAtAnEcho() throws Exception {
        MemoryRecords batch = FetchAnswers.batch(0, 60);
        try (EchoFloor server = EchoFloor.start(FetchAnswers.of(0, NONE, batch));
                FetchExchange exchange = FetchExchange.open(Workload.FETCH_16K, address(server), FILLED, false)) {
            Measurement measurement = Measurement.of(exchange, 1, 1);

            assertThat(measurement.operations()).isEqualTo(1);
            assertThat(measurement.recordBytes()).isEqualTo(batch.sizeInBytes());
            assertThat(exchange.answerFrame().remaining())
                    .isEqualTo(FetchAnswers.of(0, NONE, batch).remaining());
        }
    }

    @Test
    void shouldRefuseWhatDoesNotFollowFromTheLastAnswer() throws Exception {
        try (EchoFloor server = EchoFloor.start(FetchAnswers.of(0, NONE, FetchAnswers.batch(0, 60)));
                FetchExchange exchange = FetchExchange.open(Workload.FETCH_16K, address(server), FILLED, true)) {
            exchange.send(0);

            assertThatThrownBy(exchange::receive).hasMessageContaining("out of order");
        }
    }

    @Test
    void shouldStartOverAtTheEndOfTheLog() throws Exception {
        FilledLog short60 = new FilledLog(TOPIC, 60, 0);
        try (EchoFloor server = EchoFloor.start(FetchAnswers.of(0, NONE, FetchAnswers.batch(0, 60)));
                FetchExchange exchange = FetchExchange.open(Workload.FETCH_16K, address(server), short60, true)) {
            exchange.send(0);

            assertThat(exchange.receive()).isZero();
        }
    }

    @Test
    void shouldRefuseNothingWhereThereShouldBeRecords() throws Exception {
        try (EchoFloor server = EchoFloor.start(FetchAnswers.of(0, NONE, MemoryRecords.EMPTY))) {
            assertThatThrownBy(() -> FetchExchange.open(Workload.FETCH_1K, address(server), FILLED, true))
                    .hasMessageContaining("0 bytes of records");
        }
    }

    @Test
    void shouldCountTheRecordsOfAllPartitions() throws Exception {
        MemoryRecords batch = FetchAnswers.batch(0, 60);
        try (EchoFloor server = EchoFloor.start(ofFour(batch));
                FetchExchange exchange = FetchExchange.open(FOUR, address(server), FILLED, false)) {
            Measurement measurement = Measurement.of(exchange, 1, 1);

            assertThat(measurement.recordBytes()).isEqualTo(4L * batch.sizeInBytes());
        }
    }

    @Test
    void shouldRefuseAnAnswerThatLacksTheRecordsOfOnePartition() throws Exception {
        try (EchoFloor server = EchoFloor.start(ofFour(MemoryRecords.EMPTY))) {
            assertThatThrownBy(() -> FetchExchange.open(FOUR, address(server), FILLED, true))
                    .hasMessageContaining("0 bytes of records of partition 1");
        }
    }

    /** @param second records of partition 1 */
    private static ByteBuffer ofFour(MemoryRecords second) {
        MemoryRecords batch = FetchAnswers.batch(0, 60);
        return FetchAnswers.of(
                0,
                FetchAnswers.partition(0, NONE, batch),
                FetchAnswers.partition(1, NONE, second),
                FetchAnswers.partition(2, NONE, batch),
                FetchAnswers.partition(3, NONE, batch));
    }

    private static InetSocketAddress address(EchoFloor server) {
        String address = server.address();
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(address.substring(address.indexOf(':') + 1)));
    }
}
