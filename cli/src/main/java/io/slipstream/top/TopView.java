// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import io.slipstream.proxy.live.LivePage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The difference between two pages of one proxy, per second. Shares are parts of records from 0 to 1, or -1 without
 * records. Immutable.
 */
public record TopView(
        String version,
        long pid,
        String bootstrap,
        long uptimeMs,
        double seconds,
        long brokers,
        long linksUp,
        boolean rdmaEnabled,
        String rdma,
        Share produced,
        Share fetched,
        double bytesInPerSecond,
        double bytesOutPerSecond,
        long clientsOpen,
        List<ClientRow> clients,
        List<PartitionRow> partitions,
        List<ApiRow> apis,
        List<ReasonRow> fallbacks)
        implements ViewSource.View {
    /** @param now RDMA share of the records of this interval; {@code total} is the share since the proxy's start */
    public record Share(double recordsPerSecond, double now, double total) {}

    /** Shares are parts of the requests of one API; latencies are in µs. Both are -1 without requests. */
    public record ClientRow(
            String clientId,
            String software,
            String address,
            int broker,
            String principal,
            double requestsPerSecond,
            double producesPerSecond,
            double fetchesPerSecond,
            double bytesPerSecond,
            double rdmaShare,
            long inFlight,
            double p50Us,
            double p99Us) {}

    public record PartitionRow(
            String name,
            double producedRecordsPerSecond,
            double producedBytesPerSecond,
            double produceShare,
            double fetchedRecordsPerSecond,
            double fetchedBytesPerSecond,
            double fetchShare,
            String whyTcp) {}

    public record ApiRow(
            String api, String path, double requestsPerSecond, double p50Us, double p99Us, double p999Us) {}

    public record ReasonRow(String reason, double perSecond, long total) {}

    private static final String RDMA = "rdma";

    /** @throws IllegalArgumentException if the second page is not a later page of the same process */
    public static TopView between(LivePage before, LivePage after) {
        if (before.pid() != after.pid() || after.uptimeMs() <= before.uptimeMs()) {
            throw new IllegalArgumentException("the proxy was restarted");
        }
        double seconds = (after.uptimeMs() - before.uptimeMs()) / 1000.0;
        Quantiles quantiles = new Quantiles(after.latencyBoundsNs());
        List<ApiRow> apis = apis(before, after, seconds, quantiles);
        double in = 0;
        double out = 0;
        for (LivePage.Api api : after.apis()) {
            LivePage.Api earlier = find(before, api);
            in += api.requestBytes() - (earlier == null ? 0 : earlier.requestBytes());
            out += api.responseBytes() - (earlier == null ? 0 : earlier.responseBytes());
        }
        return new TopView(
                after.version(),
                after.pid(),
                after.bootstrap(),
                after.uptimeMs(),
                seconds,
                after.brokers(),
                after.linksUp(),
                after.rdmaEnabled(),
                after.rdma(),
                share("PRODUCE", before, after, seconds),
                share("FETCH", before, after, seconds),
                in / seconds,
                out / seconds,
                after.clientsOpen(),
                clients(before, after, seconds, quantiles),
                partitions(before, after, seconds),
                apis,
                fallbacks(before, after, seconds));
    }

    @Override
    public List<StyledLine> lines(TopScreen layout) {
        return layout.lines(this);
    }

    private static Share share(String api, LivePage before, LivePage after, double seconds) {
        long tcp = records(after, api, "tcp");
        long rdma = records(after, api, RDMA);
        long newTcp = tcp - records(before, api, "tcp");
        long newRdma = rdma - records(before, api, RDMA);
        return new Share((newTcp + newRdma) / seconds, part(newRdma, newTcp + newRdma), part(rdma, tcp + rdma));
    }

    private static long records(LivePage page, String api, String path) {
        return page.apis().stream()
                .filter(one -> one.api().equals(api) && one.path().equals(path))
                .mapToLong(LivePage.Api::records)
                .sum();
    }

    private static double part(long some, long all) {
        return all <= 0 ? -1 : (double) some / all;
    }

    private static List<ClientRow> clients(LivePage before, LivePage after, double seconds, Quantiles quantiles) {
        Map<Long, LivePage.Client> earlier = new HashMap<>();
        before.clients().forEach(client -> earlier.put(client.connection(), client));
        List<ClientRow> rows = new ArrayList<>();
        for (LivePage.Client now : after.clients()) {
            rows.add(client(earlier.getOrDefault(now.connection(), unused(now)), now, seconds, quantiles));
        }
        return List.copyOf(rows);
    }

    private static LivePage.Client unused(LivePage.Client like) {
        return new LivePage.Client(like.connection(), "", "", "", 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new long[0]);
    }

    private static ClientRow client(LivePage.Client was, LivePage.Client is, double seconds, Quantiles quantiles) {
        long byRdma = is.produceRdma() - was.produceRdma() + is.fetchRdma() - was.fetchRdma();
        long produces = is.produceTcp() - was.produceTcp() + is.produceRdma() - was.produceRdma();
        long fetches = is.fetchTcp() - was.fetchTcp() + is.fetchRdma() - was.fetchRdma();
        long requests = produces + fetches + is.other() - was.other();
        long bytes = is.bytesIn() - was.bytesIn() + is.bytesOut() - was.bytesOut();
        Quantiles.Counts counts = quantiles.between(was.latency(), is.latency());
        return new ClientRow(
                is.clientId(),
                is.software(),
                is.address(),
                is.broker(),
                is.principal(),
                requests / seconds,
                produces / seconds,
                fetches / seconds,
                bytes / seconds,
                part(byRdma, produces + fetches),
                is.inFlight(),
                counts.us(0.5),
                counts.us(0.99));
    }

    private static List<PartitionRow> partitions(LivePage before, LivePage after, double seconds) {
        Map<String, LivePage.Partition> earlier = new HashMap<>();
        before.partitions().forEach(partition -> earlier.put(partition.name(), partition));
        List<PartitionRow> rows = new ArrayList<>();
        for (LivePage.Partition now : after.partitions()) {
            LivePage.Partition was =
                    earlier.getOrDefault(now.name(), new LivePage.Partition(now.name(), 0, 0, 0, 0, 0, 0, 0, 0, ""));
            rows.add(partition(was, now, seconds));
        }
        return List.copyOf(rows);
    }

    private static PartitionRow partition(LivePage.Partition was, LivePage.Partition is, double seconds) {
        long producedTcp = is.producedRecordsTcp() - was.producedRecordsTcp();
        long producedRdma = is.producedRecordsRdma() - was.producedRecordsRdma();
        long producedBytes =
                is.producedBytesTcp() - was.producedBytesTcp() + is.producedBytesRdma() - was.producedBytesRdma();
        long fetchedTcp = is.fetchedRecordsTcp() - was.fetchedRecordsTcp();
        long fetchedRdma = is.fetchedRecordsRdma() - was.fetchedRecordsRdma();
        long fetchedBytes =
                is.fetchedBytesTcp() - was.fetchedBytesTcp() + is.fetchedBytesRdma() - was.fetchedBytesRdma();
        return new PartitionRow(
                is.name(),
                (producedTcp + producedRdma) / seconds,
                producedBytes / seconds,
                part(producedRdma, producedTcp + producedRdma),
                (fetchedTcp + fetchedRdma) / seconds,
                fetchedBytes / seconds,
                part(fetchedRdma, fetchedTcp + fetchedRdma),
                producedTcp + fetchedTcp > 0 ? is.reason() : "");
    }

    private static List<ApiRow> apis(LivePage before, LivePage after, double seconds, Quantiles quantiles) {
        List<ApiRow> rows = new ArrayList<>();
        for (LivePage.Api now : after.apis()) {
            LivePage.Api was = find(before, now);
            long requests = now.requests() - (was == null ? 0 : was.requests());
            if (requests > 0) {
                Quantiles.Counts counts = quantiles.between(was == null ? new long[0] : was.latency(), now.latency());
                rows.add(new ApiRow(
                        now.api(), now.path(), requests / seconds, counts.us(0.5), counts.us(0.99), counts.us(0.999)));
            }
        }
        rows.sort((one, other) -> Double.compare(other.requestsPerSecond(), one.requestsPerSecond()));
        return List.copyOf(rows);
    }

    private static LivePage.Api find(LivePage page, LivePage.Api like) {
        return page.apis().stream()
                .filter(one -> one.api().equals(like.api()) && one.path().equals(like.path()))
                .findFirst()
                .orElse(null);
    }

    private static List<ReasonRow> fallbacks(LivePage before, LivePage after, double seconds) {
        List<ReasonRow> rows = new ArrayList<>();
        new TreeMap<>(after.fallbacks()).forEach((reason, total) -> {
            if (total > 0) {
                long fresh = total - before.fallbacks().getOrDefault(reason, 0L);
                rows.add(new ReasonRow(reason, fresh / seconds, total));
            }
        });
        rows.sort((one, other) -> Double.compare(other.perSecond(), one.perSecond()));
        return List.copyOf(rows);
    }
}
