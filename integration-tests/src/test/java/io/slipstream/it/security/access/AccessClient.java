// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.Patience;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.ProduceResponseData;

/** A connection of one user on one path. Its answers are text that is equal on all paths if the answers are. */
final class AccessClient implements AutoCloseable {
    private final AccessStage stage;
    private final AccessPath path;
    private final String user;
    private RawClient client;

    AccessClient(AccessStage stage, AccessPath path, String user, RawClient client) {
        this.stage = stage;
        this.path = path;
        this.user = user;
        this.client = client;
    }

    /** Sends the same requests on each path; on RDMA until one of each went by it. */
    AccessClient warmUp() throws IOException {
        // A proxy that cannot query the broker learns the cluster from this answer.
        client.call((short) 12, new MetadataRequestData().setTopics(List.of()));
        if (path != AccessPath.PROXY_RDMA) {
            exchange();
            return this;
        }
        Requests before = new Requests(stage.metrics());
        Deadline deadline = Deadline.after(Patience.ofSeconds(15));
        if (!deadline.await(() -> hasGoneByRdma(before))) {
            throw new AssertionError("no Produce and Fetch by RDMA, " + stage.name() + stage.diagnosis());
        }
        return this;
    }

    /** Counts since the last reading; each reading costs a metrics page, so none is repeated. */
    private static final class Requests {
        long produces;
        long fetches;

        Requests(MetricSamples metrics) {
            update(metrics);
        }

        /** Returns whether both counts increased. */
        boolean update(MetricSamples metrics) {
            long produced = produces;
            long fetched = fetches;
            produces = metrics.count("slipstream_requests_total", "api", "PRODUCE", "path", "rdma");
            fetches = metrics.count("slipstream_requests_total", "api", "FETCH", "path", "rdma");
            return produces > produced && fetches > fetched;
        }
    }

    private boolean hasGoneByRdma(Requests before) {
        try {
            exchange();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return before.update(stage.metrics());
    }

    private void exchange() throws IOException {
        TopicRef warm = topic(Resources.Topic.WARM);
        client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(warm, 0, Batches.of("warm".getBytes(StandardCharsets.US_ASCII)))
                .frame());
        client.receive();
        client.send(FetchRequests.version(FetchRequests.NEWEST).add(warm, 0, 0).frame());
        client.receive();
    }

    TopicRef topic(Resources.Topic topic) {
        return stage.resources().topic(path, topic);
    }

    String ownTransactionalId() {
        return Resources.transactionalId(stage.name(), path);
    }

    AccessStage stage() {
        return stage;
    }

    AccessPath path() {
        return path;
    }

    /** Replaces a closed connection. */
    void reconnect() throws IOException {
        client.close();
        client = stage.open(path, user);
        warmUp();
    }

    /** Returns the broker's answer, or that it closed the connection. */
    String call(RequestFrame frame) throws IOException {
        try {
            client.send(frame);
            return textOf(client.receive());
        } catch (EOFException | SocketException e) {
            // A reset also counts as closed: the broker had unread bytes.
            return "closed";
        }
    }

    /**
     * Sends a request without an answer, and another one. Returns whether the latter is answered or the connection
     * closed.
     */
    String callWithoutAnswer(RequestFrame frame) throws IOException {
        client.sendWithoutAnswer(frame);
        return call(RequestFrame.of((short) 12, new MetadataRequestData().setTopics(List.of())))
                        .equals("closed")
                ? "closed"
                : "answered";
    }

    RawClient raw() {
        return client;
    }

    private String textOf(RawResponse response) {
        String text = stage.resources().normalize(path, AccessText.of(response));
        // The order of partitions in a Produce response is unspecified.
        return response.body() instanceof ProduceResponseData
                ? text.lines().sorted().collect(Collectors.joining("\n"))
                : text;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
