// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.PathCounts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The values that client tests send, and the comparison of received ones. Values are numbered to check their order. */
final class Delivery {
    private static final int SENT_PARTITIONS_SEPARATOR = '\t';
    private static final double RDMA_SHARE = 0.99;

    private Delivery() {}

    /** Numbered values of about 100 bytes, one per line. */
    static List<String> values(String client, int count) {
        String padding = "x".repeat(70);
        return IntStream.range(0, count)
                .mapToObj(number -> "%08d %s %s".formatted(number, client, padding))
                .toList();
    }

    /** Each output line is {@code partition TAB value}: every value once, in order within its partition. */
    static void assertExact(String output, List<String> sent) {
        List<String> received = new ArrayList<>();
        Map<String, String> lastOfPartition = new HashMap<>();
        output.lines().forEach(line -> {
            int separator = line.indexOf(SENT_PARTITIONS_SEPARATOR);
            assertThat(separator).as("partition TAB value: %s", line).isPositive();
            String value = line.substring(separator + 1);
            String before = lastOfPartition.put(line.substring(0, separator), value);
            assertThat(before == null || before.compareTo(value) < 0)
                    .as("order in partition %s: %s before %s", line.substring(0, separator), before, value)
                    .isTrue();
            received.add(value);
        });
        assertThat(received).containsExactlyInAnyOrderElementsOf(sent);
    }

    /** Requires at least this many records in each direction, and at least 99 of 100 by RDMA. */
    static void assertByRdma(PathCounts counts, long produced, long fetched) {
        assertThat(counts.rdmaProduced() + counts.tcpProduced())
                .as("records produced, %s", counts)
                .isGreaterThanOrEqualTo(produced);
        assertThat(counts.rdmaFetched() + counts.tcpFetched())
                .as("records fetched, %s", counts)
                .isGreaterThanOrEqualTo(fetched);
        assertThat(share(counts.rdmaProduced(), counts.tcpProduced()))
                .as("produced by RDMA, %s", counts)
                .isGreaterThanOrEqualTo(RDMA_SHARE);
        assertThat(share(counts.rdmaFetched(), counts.tcpFetched()))
                .as("fetched by RDMA, %s", counts)
                .isGreaterThanOrEqualTo(RDMA_SHARE);
    }

    private static double share(long rdma, long tcp) {
        return (double) rdma / Math.max(1, rdma + tcp);
    }
}
