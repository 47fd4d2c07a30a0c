// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.live;

import java.util.List;
import java.util.Map;

/**
 * The JSON page of {@code GET /top}: the proxy's activity. All numbers count from the start of the process or of the
 * connection; rates are differences of two pages.
 *
 * @param atMs creation time, in ms since 1970
 * @param clientsOpen number of open connections; {@code clients} has the {@value LiveReport#MOST_CLIENTS} with most
 *     requests
 * @param latencyBoundsNs upper bounds of the buckets of latencies, in ns
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
     * @param connection identifies the connection, also among those of one address
     * @param broker -1 on the bootstrap port
     * @param principal principal of the certificate that the client presented to the proxy; empty without one
     * @param latency bucket, count, bucket, count, … of buckets that are not 0
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
     * @param name topic and partition; {@value LiveReport#OTHERS} stands for all partitions without an entry
     * @param reason reason of the last request of this partition that took TCP; empty if there was none
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

    /** One of Kafka's APIs on one path, {@code tcp} or {@code rdma}. */
    public record Api(
            String api,
            String path,
            long requests,
            long records,
            long requestBytes,
            long responseBytes,
            long[] latency) {}
}
