// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Malformed record batches: the broker's own error, and no trace in the log. */
final class MalformedProduceCases {
    /** A stock broker does not answer a request with null records. */
    private static final Duration PATIENCE = Patience.ofSeconds(1);

    private MalformedProduceCases() {}

    static List<Case> all() {
        return Stream.of(
                        malformed("wrong-crc", Batches::withWrongCrc).inCore(),
                        malformed("magic-0", records -> Batches.withMagic(records, 0)),
                        malformed("magic-1", records -> Batches.withMagic(records, 1)),
                        malformed("magic-3", records -> Batches.withMagic(records, 3)),
                        malformed("two-batches", records -> Batches.concatenated(records, records))
                                .inCore(),
                        malformed("no-batch", records -> MemoryRecords.EMPTY),
                        malformed("null-records", records -> null),
                        malformed("length-too-long", records -> Batches.withLengthOffBy(records, 1)),
                        malformed("length-too-short", records -> Batches.withLengthOffBy(records, -1)),
                        malformed("length-negative", records -> Batches.withLengthOffBy(records, Integer.MIN_VALUE)),
                        malformed("cut-in-header", records -> Batches.cutTo(records, 30)),
                        malformed("cut-in-records", records -> Batches.cutTo(records, records.sizeInBytes() - 1)),
                        malformed("trailing-byte", records -> Batches.concatenated(records, Batches.cutTo(records, 1))))
                .toList();
    }

    /** Good, bad, bad next to good, good again: checks the errors, and that the log contains only the good ones. */
    private static Case malformed(String name, Function<MemoryRecords, MemoryRecords> spoil) {
        return Case.of("produce-" + name, arm -> script(arm, spoil)).byRdma(ApiKeys.PRODUCE, ApiKeys.FETCH);
    }

    private static void script(ArmContext arm, Function<MemoryRecords, MemoryRecords> spoil) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect().withTimeout(PATIENCE);
        arm.produce(client, topic, 0, arm.batch(1, 100));
        arm.callOrClose(
                client,
                "bad alone",
                ProduceRequests.version(ProduceRequests.NEWEST, -1)
                        .add(topic, 0, spoil.apply(arm.batch(2, 100)))
                        .frame());
        RawClient second = arm.connect().withTimeout(PATIENCE);
        arm.callOrClose(
                second,
                "bad beside good",
                ProduceRequests.version(12, 1)
                        .add(topic, 0, spoil.apply(arm.batch(2, 100)))
                        .add(topic, 1, arm.batch(2, 100))
                        .frame());
        RawClient third = arm.connect();
        arm.produce(third, topic, 0, arm.batch(1, 100));
        arm.fetch(third, topic, 0, 0);
        arm.fetch(third, topic, 1, 0);
    }
}
