// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;

/** Leader epochs of a log with a re-elected leader: stale, current, unknown and diverging ones. */
final class EpochCases {
    private EpochCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("fetch-leader-epochs", EpochCases::currentLeaderEpoch).inCore(),
                Case.of("fetch-last-fetched-epochs", EpochCases::lastFetchedEpoch)
                        .inCore(),
                Case.of("fetch-present-leader-epoch", EpochCases::presentEpoch)
                        .byRdma(FETCH)
                        .inCore());
    }

    private static void currentLeaderEpoch(ArmContext arm) throws IOException {
        TopicRef topic = arm.agedTopic();
        RawClient client = arm.connect();
        for (int version : new int[] {9, 12, 13, FetchRequests.NEWEST}) {
            for (int epoch = -1; epoch <= 5; epoch++) {
                arm.call(
                        client,
                        "v" + version + " current epoch " + epoch,
                        FetchRequests.version(version)
                                .add(topic, 0, 1, FetchRequests.PARTITION_MAX_BYTES, epoch, -1)
                                .frame());
            }
        }
    }

    private static void lastFetchedEpoch(ArmContext arm) throws IOException {
        TopicRef topic = arm.agedTopic();
        RawClient client = arm.connect();
        for (int epoch = -1; epoch <= 5; epoch++) {
            for (int offset = 0; offset <= 4; offset++) {
                arm.call(
                        client,
                        "last fetched epoch " + epoch + " offset " + offset,
                        FetchRequests.version(FetchRequests.NEWEST)
                                .add(topic, 0, offset, FetchRequests.PARTITION_MAX_BYTES, -1, epoch)
                                .frame());
            }
        }
    }

    /** Fetches like every Java consumer: with the epoch of its metadata and that of the last record. */
    private static void presentEpoch(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(3, 100));
        for (int offset = 0; offset <= 3; offset++) {
            arm.call(
                    client,
                    "offset " + offset,
                    FetchRequests.version(FetchRequests.NEWEST)
                            .add(topic, 0, offset, FetchRequests.PARTITION_MAX_BYTES, 0, offset == 0 ? -1 : 0)
                            .frame());
        }
    }
}
