// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.live;

import java.util.List;
import java.util.Map;

/**
 * What a proxy has done so far, as {@code GET /top} gives it in JSON. All numbers count from the start of what they
 * belong to (the process, a connection); rates are the differences of two pages.
 *
 * @param atMs when it was made, in ms since 1970
 * @param clientsOpen how many there are; {@code clients} are at most {@value LiveReport#MOST_CLIENTS} of them, those
 *     that asked most
 * @param latencyBoundsNs upper bounds of the buckets that latencies name, in ns
 * @param fallbacks requests by reason
 */
public record LivePage(
        String version,
        long pid,
        long atMs,
        long uptimeMs,
        String bootstrap,
        long brokers,
        long linksUp,
        boolean rdmaEnabled,
        String rdma,
        long clientsOpen,
        List<Client> clients,
        List<Partition> partitions,
        List<Api> apis,
        long[] latencyBoundsNs,
        Map<String, Long> fallbacks) {
    /**
     * @param connection tells connections apart, also those of one address
     * @param broker -1 on the bootstrap port
     * @param principal whose certificate the client has shown; empty if it has shown none to the proxy
     * @param latency bucket, count, bucket, count, … of those that are not 0
     */
    public record Client(
            long connection,
            String clientId,
            String software,
            String address,
            int broker,
            String principal,
            long produceTcp,
            long produceRdma,
            long fetchTcp,
            long fetchRdma,
            long other,
            long recordsTcp,
            long recordsRdma,
            long bytesIn,
            long bytesOut,
            long inFlight,
            long[] latency) {}

    /**
     * @param name topic and partition; {@value LiveReport#OTHERS} stands for all for which there was no room
     * @param reason why something of it went by TCP last; empty if nothing did
     */
    public record Partition(
            String name,
            long producedRecordsTcp,
            long producedRecordsRdma,
            long producedBytesTcp,
            long producedBytesRdma,
            long fetchedRecordsTcp,
            long fetchedRecordsRdma,
            long fetchedBytesTcp,
            long fetchedBytesRdma,
            String reason) {}

    /** One of Kafka's APIs by one path, {@code tcp} or {@code rdma}. */
    public record Api(
            String api,
            String path,
            long requests,
            long records,
            long requestBytes,
            long responseBytes,
            long[] latency) {}
}
