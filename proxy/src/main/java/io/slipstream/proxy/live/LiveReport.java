// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.LatencyHistogram;
import io.slipstream.proxy.count.ClientActivity;
import io.slipstream.proxy.count.PartitionActivity;
import io.slipstream.proxy.count.PartitionTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Creates {@link LivePage}s on its own thread, which exists only while pages are requested, so that event loops do no
 * work for them. Requests within {@value #FRESH_MS} ms get the same page. Thread-safe.
 */
public final class LiveReport implements AutoCloseable {
    static final int MOST_CLIENTS = 1000;
    public static final int MOST_PARTITIONS = PartitionTable.MOST;
    public static final String OTHERS = "(others)";
    static final long FRESH_MS = 100;
    private static final long NS_PER_MS = 1_000_000;
    private static final long THREAD_IDLE_SECONDS = 60;

    private final Supplier<LivePage> pages;
    private final ObjectMapper mapper = new ObjectMapper();
    private final ExecutorService worker;
    private byte[] last;
    private long lastNs;

    /** @param pages creates a page of the current state */
    public LiveReport(Supplier<LivePage> pages) {
        this.pages = pages;
        worker = new ThreadPoolExecutor(
                0,
                1,
                THREAD_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("slipstream-live", true));
    }

    public CompletableFuture<byte[]> json() {
        return CompletableFuture.supplyAsync(this::fresh, worker);
    }

    private byte[] fresh() {
        long now = System.nanoTime();
        if (last == null || now - lastNs > FRESH_MS * NS_PER_MS) {
            try {
                last = mapper.writeValueAsBytes(pages.get());
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e);
            }
            lastNs = System.nanoTime();
        }
        return last;
    }

    /** The clients with most requests, if there are more than a page holds. */
    public static List<LivePage.Client> clients(Iterable<ClientActivity> activities) {
        List<ClientActivity> all = new ArrayList<>();
        activities.forEach(all::add);
        if (all.size() > MOST_CLIENTS) {
            record Asked(ClientActivity client, long requests) {}
            all = all.stream()
                    .map(client -> new Asked(client, client.requests()))
                    .sorted(Comparator.comparingLong(Asked::requests).reversed())
                    .limit(MOST_CLIENTS)
                    .map(Asked::client)
                    .toList();
        }
        return all.stream().map(LiveReport::client).toList();
    }

    private static LivePage.Client client(ClientActivity client) {
        // Read the answers before the requests: in the other order there could be more answers than requests.
        long answered = client.requests();
        return new LivePage.Client(
                client.connection,
                client.clientId,
                client.software,
                client.address,
                client.nodeId,
                client.principal,
                client.count(ClientActivity.PRODUCE_TCP),
                client.count(ClientActivity.PRODUCE_RDMA),
                client.count(ClientActivity.FETCH_TCP),
                client.count(ClientActivity.FETCH_RDMA),
                client.count(ClientActivity.OTHER),
                client.count(ClientActivity.RECORDS_TCP),
                client.count(ClientActivity.RECORDS_RDMA),
                client.count(ClientActivity.BYTES_IN),
                client.count(ClientActivity.BYTES_OUT),
                Math.max(0, client.count(ClientActivity.RECEIVED) - answered),
                sparse(client.latencyCounts()));
    }

    /** One entry per partition, over all event loops; the busiest ones if there are more than a page holds. */
    public static List<LivePage.Partition> partitions(Iterable<PartitionTable> tables, TopicNames names) {
        Map<String, Total> byName = new TreeMap<>();
        for (PartitionTable table : tables) {
            for (PartitionActivity activity : table.all()) {
                String name = activity.partition < 0 ? OTHERS : names.of(activity) + "-" + activity.partition;
                byName.computeIfAbsent(name, Total::new).add(activity);
            }
        }
        return byName.values().stream()
                .filter(total -> total.bytes() > 0)
                .sorted(Comparator.comparingLong(Total::bytes).reversed())
                .limit(MOST_PARTITIONS)
                .map(Total::page)
                .toList();
    }

    /** The counts of one partition over all event loops. */
    private static final class Total {
        private final String name;
        private final long[] counts = new long[PartitionActivity.COUNTS];
        private String reason = "";

        Total(String name) {
            this.name = name;
        }

        void add(PartitionActivity activity) {
            for (int i = 0; i < counts.length; i++) {
                counts[i] += activity.count(i);
            }
            if (reason.isEmpty() && activity.reason != null) {
                reason = Label.valueOf(activity.reason);
            }
        }

        long bytes() {
            return counts[2] + counts[3] + counts[6] + counts[7];
        }

        LivePage.Partition page() {
            return new LivePage.Partition(
                    name, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], counts[7],
                    reason);
        }
    }

    /** Bucket, count, bucket, count, … of buckets that are not 0. */
    public static long[] sparse(long[] counts) {
        return IntStream.range(0, counts.length)
                .filter(i -> counts[i] != 0)
                .mapToObj(i -> LongStream.of(i, counts[i]))
                .flatMapToLong(pair -> pair)
                .toArray();
    }

    public static long[] latencyBoundsNs() {
        return IntStream.range(0, LatencyHistogram.BUCKETS)
                .mapToLong(LatencyHistogram::upperBoundNs)
                .toArray();
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
