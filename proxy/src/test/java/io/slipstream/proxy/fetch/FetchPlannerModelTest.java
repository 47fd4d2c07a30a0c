// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.fetch.FetchRequestView;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;

/** Compares plans with a model of a broker that reads batch by batch, for random logs, cursors and limits. */
class FetchPlannerModelTest {
    /** One partition's log: batches of known sizes, cut into segments, committed up to some batch. */
    private static final class Log {
        final int[] batchBytes;
        final int[] segmentOf;
        final int[] positionOf;
        /** Batches below this one are committed. */
        final int committed;

        final int fetchBatch;

        Log(Random random) {
            int batches = 1 + random.nextInt(12);
            batchBytes = new int[batches];
            segmentOf = new int[batches + 1];
            positionOf = new int[batches + 1];
            for (int b = 0; b < batches; b++) {
                batchBytes[b] = 61 + random.nextInt(500);
                boolean roll = random.nextInt(4) == 0;
                segmentOf[b + 1] = roll ? b + 1 : segmentOf[b];
                positionOf[b + 1] = roll ? 0 : positionOf[b] + batchBytes[b];
            }
            committed = random.nextInt(batches + 1);
            fetchBatch = random.nextInt(committed + 1);
        }

        /** Committed bytes of the fetch offset's segment, from there on. */
        int available() {
            int bytes = 0;
            for (int b = fetchBatch; b < committed && segmentOf[b] == segmentOf[fetchBatch]; b++) {
                bytes += batchBytes[b];
            }
            return bytes;
        }

        boolean isOlder() {
            return available() > 0 && segmentOf[committed] > segmentOf[fetchBatch];
        }

        int sealedBytes() {
            int last = fetchBatch;
            while (last + 1 < batchBytes.length && segmentOf[last + 1] == segmentOf[fetchBatch]) {
                last++;
            }
            return positionOf[last] + batchBytes[last];
        }

        boolean isActive() {
            return segmentOf[batchBytes.length] == segmentOf[fetchBatch];
        }
    }

    @RepeatedTest(50)
    void shouldPlanWhatABrokerWouldRead() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            compare(random, "seed " + seed + " round " + round);
        }
    }

    private static void compare(Random random, String description) {
        int partitions = 1 + random.nextInt(5);
        Log[] logs = new Log[partitions];
        PlannedPartitions given = new PlannedPartitions(partitions);
        int maxBytes = random.nextInt(3000);
        int minBytes = random.nextInt(2000);
        FetchFrames frames =
                FetchFrames.fetch().with(d -> d.setMaxBytes(maxBytes).setMinBytes(minBytes));
        for (int p = 0; p < partitions; p++) {
            Log log = new Log(random);
            logs[p] = log;
            int segment = log.segmentOf[log.fetchBatch];
            given.cursor(
                    p,
                    log.fetchBatch,
                    log.positionOf[log.fetchBatch],
                    segment,
                    log.isActive() ? -1 : log.sealedBytes());
            given.slot(p, log.segmentOf[log.committed], log.committed, log.positionOf[log.committed]);
            if (log.fetchBatch < log.batchBytes.length && random.nextBoolean()) {
                given.cursors[p].nextBatchBytes = log.batchBytes[log.fetchBatch];
            }
            frames.partition(p, log.fetchBatch, random.nextInt(1500));
        }
        FetchRequestView request = frames.view();
        ReadPlan plan = given.plan(request);
        while (plan.kind == ReadPlan.Kind.PROBE) {
            Log log = logs[plan.probeEntry];
            assertThat(given.cursors[plan.probeEntry].nextBatchBytes)
                    .as(description)
                    .isZero();
            given.cursors[plan.probeEntry].nextBatchBytes = log.batchBytes[log.fetchBatch];
            plan = given.plan(request);
        }
        verify(request, logs, given, plan, description);
    }

    private static void verify(
            FetchRequestView request, Log[] logs, PlannedPartitions given, ReadPlan plan, String description) {
        int left = request.maxBytes;
        boolean first = true;
        boolean older = false;
        long readable = 0;
        for (int p = 0; p < logs.length; p++) {
            int available = logs[p].available();
            int limit = Math.min(request.partitions.maxBytes(p), left);
            int firstBatch = available == 0 ? 0 : logs[p].batchBytes[logs[p].fetchBatch];
            int expected = Math.min(available, first ? Math.max(limit, firstBatch) : limit);
            boolean incomplete = !first && expected < firstBatch;
            if (incomplete && given.cursors[p].nextBatchBytes > 0) {
                expected = 0;
            }
            assertThat(plan.entries[p].lengthBytes)
                    .as("%s partition %d", description, p)
                    .isEqualTo(expected);
            readable += expected;
            older |= logs[p].isOlder();
            first &= expected == 0;
            left = Math.max(0, left - expected);
        }
        boolean due = older || readable >= Math.min(request.minBytes, request.maxBytes);
        assertThat(plan.kind).as(description).isEqualTo(due ? ReadPlan.Kind.READ : ReadPlan.Kind.WAIT);
    }
}
