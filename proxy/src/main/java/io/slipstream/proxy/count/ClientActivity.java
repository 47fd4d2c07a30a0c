// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import io.slipstream.metrics.LatencyHistogram;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** The activity of one client connection. Written by its event loop, read by any thread. */
public final class ClientActivity {
    public static final int RECEIVED = 0;
    public static final int PRODUCE_TCP = 1;
    public static final int PRODUCE_RDMA = 2;
    public static final int FETCH_TCP = 3;
    public static final int FETCH_RDMA = 4;
    public static final int OTHER = 5;
    public static final int RECORDS_TCP = 6;
    public static final int RECORDS_RDMA = 7;
    public static final int BYTES_IN = 8;
    public static final int BYTES_OUT = 9;
    private static final int LATENCY = 10;
    private static final short PRODUCE_KEY = 0;
    private static final short FETCH_KEY = 1;

    private static final AtomicLong CONNECTIONS = new AtomicLong();

    private final LoopCounters tallies = new LoopCounters(LATENCY + LatencyHistogram.BUCKETS);
    /** Unique within this process. */
    public final long connection = CONNECTIONS.incrementAndGet();

    public final String address;
    public volatile int nodeId;
    public volatile String clientId = "";
    public volatile String software = "";
    /** Principal of the client's certificate; empty without one. */
    public volatile String principal = "";

    /** @param nodeId the broker of the connection's port, or -1 */
    public ClientActivity(String address, int nodeId) {
        this.address = address;
        this.nodeId = nodeId;
    }

    /** Counts a request that was read. */
    public void received(int requestBytes) {
        tallies.add(RECEIVED, 1);
        tallies.add(BYTES_IN, requestBytes);
    }

    /** Counts a request whose answer was handed to the socket, or that needs no answer. */
    public void answered(short apiKey, boolean byRdma, long records, long latencyNs) {
        int api = apiKey == PRODUCE_KEY ? PRODUCE_TCP : apiKey == FETCH_KEY ? FETCH_TCP : OTHER;
        tallies.add(byRdma ? api + 1 : api, 1);
        tallies.add(byRdma ? RECORDS_RDMA : RECORDS_TCP, records);
        tallies.add(LATENCY + LatencyHistogram.bucketOf(latencyNs), 1);
    }

    /** Counts records of a broker beside a part of the answer by RDMA. */
    public void fetchedByTcp(long records) {
        tallies.add(RECORDS_TCP, records);
    }

    public void sent(int responseBytes) {
        tallies.add(BYTES_OUT, responseBytes);
    }

    public long count(int which) {
        return tallies.get(which);
    }

    public long requests() {
        return IntStream.rangeClosed(PRODUCE_TCP, OTHER).mapToLong(tallies::get).sum();
    }

    public long[] latencyCounts() {
        return IntStream.range(LATENCY, LATENCY + LatencyHistogram.BUCKETS)
                .mapToLong(tallies::get)
                .toArray();
    }
}
