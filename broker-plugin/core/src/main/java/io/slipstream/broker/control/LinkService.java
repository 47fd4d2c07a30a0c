// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.fetch.PartitionLogs;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.ring.RingSession;
import io.slipstream.broker.session.SessionTable;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.protocol.ring.RingFrame;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the control channel: links through {@link LinkTable}, sessions through {@link SessionTable}, reads through
 * the link's grants.
 */
public final class LinkService {
    private static final Logger log = LoggerFactory.getLogger(LinkService.class);
    private static final int SWEEP_MS = 500;
    private static final String BINDING = "binding its connection";

    private final BrokerHandle broker;
    private final String provider;
    private final String address;
    final LinkTable links;
    private final RefusalLog refusals = new RefusalLog(System::nanoTime);

    /**
     * @param provider name of the data path's provider
     * @param address address to which proxies connect their queue pairs
     */
    public LinkService(BrokerHandle broker, String provider, String address, LinkTable links) {
        this.broker = broker;
        this.provider = provider;
        this.address = address;
        this.links = links;
        links.sessions.onEnded((linkId, sessionId) -> links.execute(() -> links.endSession(linkId, sessionId)));
        links.sessions.onUnknownNonce(
                seen -> refusals.refused(seen.principal(), BINDING, "it showed an unknown, used or expired nonce"));
        links.controlThread.scheduleWithFixedDelay(this::sweep, SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
    }

    /**
     * Answers now or later, on any thread; never completes exceptionally. The control thread calls it.
     *
     * @param connection identity of the control connection; links and sessions made on it end with it
     */
    public CompletionStage<? extends ControlResponse> handle(Object connection, ControlRequest request) {
        try {
            CompletionStage<? extends ControlResponse> answer = answer(connection, request);
            count(request, answer);
            return answer;
        } catch (RuntimeException e) {
            log.error("Control request {} failed", request.getClass().getSimpleName(), e);
            return refuse(request, ControlError.INTERNAL, e.toString());
        }
    }

    private CompletionStage<? extends ControlResponse> answer(Object connection, ControlRequest request) {
        if (request instanceof ControlRequest.Hello) {
            return completedFuture(hello());
        } else if (request instanceof ControlRequest.OpenLink openLink) {
            return links.open(connection, openLink);
        } else if (request instanceof ControlRequest.AttachLink attachLink) {
            return links.attach(connection, attachLink);
        } else if (request instanceof ControlRequest.BeginSession begin) {
            return onLink(connection, begin.linkId(), begin, link -> begin(begin));
        } else if (request instanceof ControlRequest.ConfirmSession confirm) {
            return onLink(connection, confirm.linkId(), confirm, link -> confirm(link, confirm));
        } else if (request instanceof ControlRequest.CloseSession close) {
            return closeSession(connection, close);
        } else if (request instanceof ControlRequest.Locate locate) {
            return onLink(connection, locate.linkId(), locate, link -> locate(link, locate));
        } else if (request instanceof ControlRequest.ReportReads report) {
            return onLink(connection, report.linkId(), report, link -> reportReads(link, report));
        } else if (request instanceof ControlRequest.ListAborted list) {
            return onLink(connection, list.linkId(), list, link -> link.reads.listAborted(list));
        } else if (request instanceof ControlRequest.ReleaseSegment release) {
            return onLink(
                    connection, release.linkId(), release, link -> completedFuture(link.reads.releaseSegment(release)));
        } else if (request instanceof ControlRequest.ReleaseSlot release) {
            return onLink(
                    connection, release.linkId(), release, link -> completedFuture(link.reads.releaseSlot(release)));
        }
        throw new IllegalArgumentException("No answer to " + request);
    }

    private ControlResponse.Hello hello() {
        PluginConfig config = broker.config();
        int maxFrameBytes = Math.min(broker.requestMaxBytes(), config.ringBytes() - RingFrame.HEADER_BYTES);
        return new ControlResponse.Hello(
                ControlError.NONE,
                RingApis.FEATURE,
                broker.clusterId(),
                broker.nodeId(),
                broker.bootId(),
                provider,
                address,
                config.leaseMs(),
                maxFrameBytes,
                broker.fetchMaxBytes(),
                broker.replicaSelector());
    }

    private CompletionStage<? extends ControlResponse> begin(ControlRequest.BeginSession request) {
        String nonce = links.nonces.issue(request.linkId());
        if (nonce == null) {
            String reason = "too many sessions are being bound, see " + PluginKeys.MAX_SESSIONS;
            refusals.refused(null, BINDING, reason);
            return refuse(request, ControlError.LIMIT, reason);
        }
        links.counters.increment(PluginMeter.NONCES_ISSUED);
        return completedFuture(new ControlResponse.BeginSession(ControlError.NONE, null, nonce));
    }

    private CompletionStage<? extends ControlResponse> confirm(ProxyLink link, ControlRequest.ConfirmSession request) {
        SessionTable.Outcome outcome = links.sessions.confirm(link.linkId, request.nonce());
        if (outcome.session() == null) {
            refusals.refused(outcome.principal(), BINDING, outcome.reason());
            return refuse(request, outcome.error(), outcome.reason());
        }
        RingSession session = new RingSession(outcome.session());
        link.ring.bind(session);
        link.sessions.put(session.sessionId(), session);
        return completedFuture(new ControlResponse.ConfirmSession(ControlError.NONE, null, session.sessionId()));
    }

    private CompletionStage<? extends ControlResponse> closeSession(
            Object connection, ControlRequest.CloseSession request) {
        ProxyLink link = links.attached(connection, request.linkId());
        if (link == null || !link.sessions.containsKey(request.sessionId())) {
            return refuse(request, ControlError.UNKNOWN_HANDLE, "no session " + request.sessionId());
        }
        links.endSession(link.linkId, request.sessionId());
        return completedFuture(new ControlResponse.CloseSession(ControlError.NONE, null));
    }

    private CompletionStage<? extends ControlResponse> locate(ProxyLink link, ControlRequest.Locate request) {
        RingSession session = link.sessions.get(request.sessionId());
        if (session == null || session.bound.isEnded()) {
            return refuse(request, ControlError.UNKNOWN_HANDLE, "no session " + request.sessionId());
        }
        return link.reads.locate(session.bound, request).thenApply(answer -> {
            if (answer.error() == ControlError.LIMIT || PartitionLogs.NOT_AUTHORIZED.equals(answer.message())) {
                String what = "reading " + topicOf(request.topicId(), request.topic());
                refusals.refused(session.bound.connection.principal(), what, answer.message());
            }
            return answer;
        });
    }

    private CompletionStage<? extends ControlResponse> reportReads(ProxyLink link, ControlRequest.ReportReads request) {
        links.counters.increment(PluginMeter.READ_REPORTS);
        return link.reads.report(request, sessionId -> {
            RingSession session = link.sessions.get(sessionId);
            return session == null ? null : session.bound;
        });
    }

    /** Counts a request for a grant once its answer completes: as granted, or as refused by reason. */
    private void count(ControlRequest request, CompletionStage<? extends ControlResponse> answer) {
        boolean isBegin = request instanceof ControlRequest.BeginSession;
        boolean isSession = isBegin || request instanceof ControlRequest.ConfirmSession;
        if (!isSession && !(request instanceof ControlRequest.Locate)) {
            return;
        }
        String kind = isSession ? "session" : "read";
        MeterRegistry registry = links.counters.registry;
        answer.whenComplete((response, failure) -> {
            ControlError error = failure == null ? response.error() : ControlError.INTERNAL;
            if (error != ControlError.NONE) {
                registry.count(PluginMeter.GRANTS_REFUSED, kind, Label.valueOf(error))
                        .increment();
            } else if (!isBegin) {
                registry.count(PluginMeter.GRANTS_GRANTED, kind).increment();
            }
        });
    }

    /** Control thread. */
    public void connectionClosed(Object connection) {
        links.closeAllOf(connection);
    }

    private static String topicOf(Uuid id, String name) {
        return name == null || name.isEmpty() ? "the topic " + id : "topic " + name;
    }

    private void sweep() {
        links.counters.add(PluginMeter.NONCES_EXPIRED, links.nonces.expire());
        links.sessions.forgetReceived();
        links.closeOverdue();
    }

    /** What that link of the connection answers, if it is attached; else a refusal. */
    private CompletionStage<? extends ControlResponse> onLink(
            Object connection,
            int linkId,
            ControlRequest request,
            Function<ProxyLink, CompletionStage<? extends ControlResponse>> answer) {
        ProxyLink link = links.attached(connection, linkId);
        if (link != null) {
            return answer.apply(link);
        }
        String reason = "no such attached link of this connection";
        refusals.refused(null, request.getClass().getSimpleName(), reason);
        return refuse(request, ControlError.UNKNOWN_HANDLE, reason);
    }

    static CompletionStage<? extends ControlResponse> refuse(
            ControlRequest request, ControlError error, String message) {
        return completedFuture(ControlApi.of(request).refusal(error, message));
    }
}
