// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;

/** Byte limits of a Fetch, and the rule that at least one whole batch is returned. */
final class FetchLimitCases {
    private FetchLimitCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("fetch-partition-max-bytes", FetchLimitCases::partitionMaxBytes)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-max-bytes-over-partitions", FetchLimitCases::maxBytes)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-first-batch-above-all-limits", FetchLimitCases::firstBatch)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-empty-partitions-first", FetchLimitCases::emptyFirst)
                        .byRdma(FETCH),
                Case.of("fetch-across-segments", FetchLimitCases::acrossSegments)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-odd-limits", FetchLimitCases::oddLimits));
    }

    private static TopicRef filled(ArmContext arm, RawClient client, int partitions, int batches, int sizeBytes)
            throws IOException {
        TopicRef topic = arm.topic("t", partitions);
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < batches; i++) {
                arm.produce(client, topic, partition, arm.batch(1, sizeBytes));
            }
        }
        return topic;
    }

    private static void partitionMaxBytes(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        TopicRef topic = filled(arm, client, 1, 8, 1000);
        for (int limitBytes : new int[] {1, 500, 1067, 1068, 1069, 1070, 1071, 2140, 3000, 4280, 100_000}) {
            arm.call(
                    client,
                    "limit " + limitBytes,
                    FetchRequests.version(FetchRequests.NEWEST)
                            .add(topic, 0, 2, limitBytes)
                            .frame());
        }
    }

    private static void maxBytes(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        TopicRef topic = filled(arm, client, 4, 4, 1000);
        for (int limitBytes : new int[] {1, 1000, 1071, 2500, 5000, 6000, 13_000, 20_000}) {
            for (int version : new int[] {12, FetchRequests.NEWEST}) {
                arm.call(
                        client,
                        "v" + version + " limit " + limitBytes,
                        FetchRequests.version(version)
                                .maxBytes(limitBytes)
                                .add(topic, 2, 0, 2200)
                                .add(topic, 0, 3, 2200)
                                .add(topic, 1, 1, 4400)
                                .add(topic, 3, 0, 100)
                                .frame());
            }
        }
    }

    private static void firstBatch(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        TopicRef topic = filled(arm, client, 2, 2, 50_000);
        arm.call(
                client,
                "whole batch",
                FetchRequests.version(FetchRequests.NEWEST)
                        .maxBytes(10)
                        .add(topic, 0, 1, 10)
                        .add(topic, 1, 0, 10)
                        .frame());
        arm.call(
                client,
                "only the total is small",
                FetchRequests.version(FetchRequests.NEWEST)
                        .maxBytes(60_000)
                        .add(topic, 0, 0)
                        .add(topic, 1, 0)
                        .frame());
    }

    private static void emptyFirst(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        TopicRef empty = arm.topic("empty", 2);
        TopicRef topic = filled(arm, client, 1, 3, 1000);
        arm.call(
                client,
                "empty first",
                FetchRequests.version(FetchRequests.NEWEST)
                        .maxBytes(10)
                        .add(empty, 0, 0)
                        .add(empty, 1, 0)
                        .add(topic, 0, 1, 10)
                        .frame());
    }

    /** Reads across rolled segments: one answer never contains bytes of two, as the broker's does not. */
    private static void acrossSegments(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "segment.bytes", "1048576");
        RawClient client = arm.connect();
        for (int i = 0; i < 5; i++) {
            arm.produce(client, topic, 0, arm.batch(2, 200_000));
        }
        for (int offset = 0; offset < 10; offset += 3) {
            arm.call(
                    client,
                    "from " + offset,
                    FetchRequests.version(FetchRequests.NEWEST)
                            .add(topic, 0, offset, 10 << 20)
                            .frame());
        }
    }

    private static void oddLimits(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        TopicRef topic = filled(arm, client, 2, 2, 1000);
        for (int limitBytes : new int[] {0, -1, Integer.MIN_VALUE}) {
            arm.callOrClose(
                    client,
                    "partition limit " + limitBytes,
                    FetchRequests.version(FetchRequests.NEWEST)
                            .add(topic, 0, 0, limitBytes)
                            .add(topic, 1, 0)
                            .frame());
            arm.callOrClose(
                    client,
                    "limit " + limitBytes,
                    FetchRequests.version(FetchRequests.NEWEST)
                            .maxBytes(limitBytes)
                            .add(topic, 0, 0)
                            .add(topic, 1, 0)
                            .frame());
        }
    }
}
