// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.netty.channel.EventLoop;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.fetch.LinkSlots;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingLink;
import io.slipstream.broker.ring.RingSession;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.NonceTable;
import io.slipstream.broker.session.SessionTable;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links, from OpenLink until their memory is free. A link counts against {@code slipstream.max.links} until then.
 * Confined to the control thread, except {@link #onConnectionRequest}, which the device's connection thread calls. All
 * states are in this class, because a link may end in each of them.
 */
public final class LinkTable {
    static final long ATTACH_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    static final int SEND_DEPTH = 128;

    private static final Logger log = LoggerFactory.getLogger(LinkTable.class);

    private final PluginConfig config;
    final EventLoop controlThread;
    private final Executor opener;
    private final Executor closer;
    private final RdmaDevice device;
    private final List<RingThread> threads;
    private final SlotReads logs;
    final NonceTable nonces;
    final SessionTable sessions;
    final PluginMeters counters;
    private final Map<Integer, ProxyLink> links = new HashMap<>();
    private final ConcurrentHashMap<Long, ProxyLink> tokens = new ConcurrentHashMap<>();
    private final int[] linksOfThread;
    private final LinkLimits limits;
    private final SetupTurns turns;
    private int nextLinkId = 1;

    /**
     * @param opener allocates and registers memory, which takes a device long
     * @param closer runs the closing of regions, which may block for peers
     */
    public LinkTable(
            PluginConfig config,
            EventLoop controlThread,
            Executor opener,
            Executor closer,
            RdmaDevice device,
            List<RingThread> threads,
            SlotReads logs,
            NonceTable nonces,
            SessionTable sessions,
            PluginMeters counters) {
        this.config = config;
        this.controlThread = controlThread;
        this.opener = opener;
        this.closer = closer;
        this.device = device;
        this.threads = threads;
        this.logs = logs;
        this.nonces = nonces;
        this.sessions = sessions;
        this.counters = counters;
        this.linksOfThread = new int[threads.size()];
        this.limits = new LinkLimits(config);
        this.turns = new SetupTurns(LinkLimits.mostLinks(config), counters);
    }

    CompletionStage<? extends ControlResponse> open(Object connection, ControlRequest.OpenLink request) {
        String refusal = limits.refusal(request, linksOf(connection));
        return refusal != null
                ? LinkService.refuse(request, ControlError.LIMIT, refusal)
                : turns.take(connection, System.nanoTime()).thenCompose(turn -> open(connection, request, turn));
    }

    private CompletionStage<? extends ControlResponse> open(
            Object connection, ControlRequest.OpenLink request, SetupTurns.Turn turn) {
        return turn == null
                ? LinkService.refuse(request, ControlError.LIMIT, "too many links are being set up")
                : CompletableFuture.supplyAsync(
                                () -> LinkRegions.allocate(device, config.ringBytes(), request.replyRingBytes()),
                                opener)
                        .handleAsync(
                                (memory, failure) -> opened(connection, request, turn, memory, failure), controlThread);
    }

    private long linksOf(Object connection) {
        return links.values().stream()
                .filter(link -> link.connection == connection)
                .count();
    }

    /** If the proxy has gone meanwhile, the link is soon overdue. */
    private ControlResponse opened(
            Object connection,
            ControlRequest.OpenLink request,
            SetupTurns.Turn turn,
            LinkRegions memory,
            Throwable failure) {
        long linksOfProxy = linksOf(connection);
        String refusal = failure != null ? failure.getCause().getMessage() : limits.refusal(request, linksOfProxy);
        if (refusal != null) {
            log.warn("No link for a proxy: {}", refusal);
            turns.end(turn, System.nanoTime());
            if (memory != null) {
                closer.execute(memory::close);
            }
            return ControlApi.OPEN_LINK.refusal(ControlError.LIMIT, refusal);
        }
        int thread = limits.nextThread(linksOfThread, Runtime.getRuntime().availableProcessors());
        linksOfThread[thread]++;
        limits.count(linksOfProxy == 0, 1);
        counters.add(PluginMeter.LINKS_OPEN, 1);
        ProxyLink link = new ProxyLink(
                nextLinkId++,
                connection,
                linksOfProxy == 0,
                turn,
                threads.get(thread),
                memory,
                Math.min(request.credits(), config.ringCredits()));
        links.put(link.linkId, link);
        tokens.put(link.token, link);
        counters.increment(PluginMeter.LINKS_OPENED);
        return new ControlResponse.OpenLink(ControlError.NONE, null, link.linkId, link.token);
    }

    /** Connection thread: accepts a queue pair that shows the token of an opened link. */
    public void onConnectionRequest(ConnectionRequest request) {
        ByteBuffer privateData = request.privateData();
        // Either this thread takes the token, or close() does. If this thread takes it, close() waits for the outcome.
        ProxyLink link = privateData.remaining() == Long.BYTES
                ? tokens.remove(privateData.getLong(privateData.position()))
                : null;
        if (link == null) {
            request.reject("unknown token");
            return;
        }
        QueuePairConfig queuePairConfig = new QueuePairConfig(
                link.memory.domain(),
                link.owner.completionQueue,
                SEND_DEPTH,
                link.credits + 1,
                (queuePair, reason) -> execute(() -> close(link, reason)));
        request.accept(queuePairConfig)
                .whenComplete((queuePair, failure) -> execute(() -> {
                    if (failure == null) {
                        connected(link, queuePair);
                    } else {
                        close(link, "connecting failed: " + failure.getMessage());
                    }
                    link.accepting.complete(null);
                }));
    }

    private void connected(ProxyLink link, QueuePair queuePair) {
        link.queuePair = queuePair;
        if (link.state == ProxyLink.State.OPENED) {
            link.state = ProxyLink.State.CONNECTED;
        } else {
            queuePair.close();
        }
    }

    /**
     * Attaches the rings, one task later: an event loop reads its sockets before it runs queued tasks, so the queue
     * pair's connection may not have been noted yet.
     */
    CompletionStage<? extends ControlResponse> attach(Object connection, ControlRequest.AttachLink request) {
        return CompletableFuture.supplyAsync(() -> attachConnected(connection, request), controlThread)
                .thenCompose(answer -> answer);
    }

    private CompletionStage<? extends ControlResponse> attachConnected(
            Object connection, ControlRequest.AttachLink request) {
        ProxyLink link = links.get(request.linkId());
        if (link == null || link.connection != connection || link.state != ProxyLink.State.CONNECTED) {
            return LinkService.refuse(
                    request,
                    ControlError.UNKNOWN_HANDLE,
                    "no link " + request.linkId() + " of this connection is connected");
        } else if (request.replyRing().lengthBytes() != link.replyRingBytes()) {
            return LinkService.refuse(
                    request,
                    ControlError.PROTOCOL,
                    "the reply ring has " + request.replyRing().lengthBytes() + " bytes, not the "
                            + link.replyRingBytes() + " announced");
        }
        link.state = ProxyLink.State.ATTACHING;
        try {
            link.reads = logs.open(
                    link.connection, link.memory.domain(), link.queuePair, slot -> link.ring.ringDoorbell(slot));
        } catch (IOException | RuntimeException e) {
            close(link, "no slot table: " + e);
            return LinkService.refuse(request, ControlError.LIMIT, e.getMessage());
        }
        link.ring = new RingLink(
                link.linkId,
                link.queuePair,
                link.owner,
                counters,
                link.credits,
                SEND_DEPTH,
                link.reads.slotCount(),
                link.memory.requestRing(),
                link.memory.copies().buffer(),
                link.memory.controlWord(),
                link.memory.staging(),
                request.replyRing());
        link.owner.schedule(link.ring);
        return CompletableFuture.allOf(
                        link.queuePair.export(link.memory.requestRing()).toCompletableFuture(),
                        link.queuePair.export(link.memory.controlWord()).toCompletableFuture(),
                        link.reads.exported.toCompletableFuture(),
                        link.ring.attached)
                .handleAsync((done, failure) -> attached(link, request, failure), controlThread);
    }

    private ControlResponse attached(ProxyLink link, ControlRequest.AttachLink request, Throwable failure) {
        if (failure != null || link.state != ProxyLink.State.ATTACHING) {
            close(link, "attaching failed: " + failure);
            return ControlApi.ATTACH_LINK.refusal(
                    ControlError.UNKNOWN_HANDLE, "link " + request.linkId() + " was lost while attaching");
        }
        link.state = ProxyLink.State.ATTACHED;
        turns.end(link.turn, System.nanoTime());
        link.meter(counters.registry, config.ringBytes());
        counters.increment(PluginMeter.LINKS_ATTACHED);
        log.info(
                "Link {} attached: request ring {} bytes, reply ring {} bytes, {} credits, {} slots",
                link.linkId,
                config.ringBytes(),
                link.replyRingBytes(),
                link.credits,
                link.reads.slotCount());
        return new ControlResponse.AttachLink(
                ControlError.NONE,
                RingFrame.RESTARTS,
                LinkSlots.remoteMemory(link.memory.requestRing()),
                link.reads.slotTable(),
                link.reads.armTable(),
                LinkSlots.remoteMemory(link.memory.controlWord()),
                link.reads.slotCount(),
                link.credits);
    }

    /** Returns the attached link if it was opened on this connection, else null. */
    ProxyLink attached(Object connection, int linkId) {
        ProxyLink link = links.get(linkId);
        return link != null && link.connection == connection && link.state == ProxyLink.State.ATTACHED ? link : null;
    }

    /** Ends the session. No effect if it has ended. */
    void endSession(int linkId, int sessionId) {
        ProxyLink link = links.get(linkId);
        RingSession session = link == null ? null : link.sessions.remove(sessionId);
        if (session != null) {
            end(link, session);
        }
    }

    private void end(ProxyLink link, RingSession session) {
        sessions.remove(session.bound);
        link.ring.unbind(session.sessionId());
        link.reads.sessionClosed(session.bound);
    }

    void closeAllOf(Object connection) {
        turns.forget(connection);
        closeIf(link -> link.connection == connection, "its control connection ended");
    }

    void closeOverdue() {
        long nowNs = System.nanoTime();
        turns.proceed(nowNs);
        closeIf(
                link -> link.state != ProxyLink.State.ATTACHED && nowNs - link.attachDeadlineNs > 0,
                "it was not attached within 5 s");
    }

    /** Closes all links. */
    public void closeAll(String reason) {
        closeIf(link -> true, reason);
    }

    private void closeIf(Predicate<ProxyLink> condition, String reason) {
        List.copyOf(links.values()).stream().filter(condition).forEach(link -> close(link, reason));
    }

    private void close(ProxyLink link, String reason) {
        if (link.state == ProxyLink.State.CLOSED) {
            return;
        }
        log.info("Link {} closed: {}", link.linkId, reason);
        counters.increment(PluginMeter.LINKS_CLOSED);
        link.state = ProxyLink.State.CLOSED;
        turns.end(link.turn, System.nanoTime());
        links.remove(link.linkId);
        boolean isTokenUsed = tokens.remove(link.token) == null;
        nonces.forgetLink(link.linkId);
        for (RingSession session : new ArrayList<>(link.sessions.values())) {
            end(link, session);
        }
        link.sessions.clear();
        link.gauges.forEach(MeterRegistry.Registration::close);
        if (link.queuePair != null) {
            link.queuePair.disconnect(reason);
        }
        CompletableFuture<Void> unused = CompletableFuture.completedFuture(null);
        if (link.ring != null) {
            link.ring.detach();
            unused = link.ring.drained;
        } else if (isTokenUsed) {
            unused = link.accepting;
        }
        unused.whenCompleteAsync((done, failure) -> free(link), closer);
    }

    /**
     * Closer's thread: frees the link's memory, which the broker no longer needs. It first fences the regions that the
     * proxy could write. It then closes the queue pair, which ends transfers in flight, and then the read side. The
     * domain closes last.
     */
    private void free(ProxyLink link) {
        CompletionStage<Void> readsFreed = CompletableFuture.completedFuture(null);
        try {
            link.memory.fence(counters);
            if (link.queuePair != null) {
                link.queuePair.close();
            }
            if (link.reads != null) {
                link.reads.close();
                readsFreed = link.reads.freed;
            }
        } catch (RuntimeException e) {
            log.warn("Closing link {} failed", link.linkId, e);
        }
        readsFreed.whenComplete((done, failure) -> onCloser(() -> freeMemory(link)));
    }

    /** The read side's thread must not wait for the proxy. After the end of the closer it may. */
    private void onCloser(Runnable task) {
        try {
            closer.execute(task);
        } catch (RejectedExecutionException ended) {
            task.run();
        }
    }

    private void freeMemory(ProxyLink link) {
        try {
            link.memory.close();
        } catch (RuntimeException e) {
            log.warn("Freeing the memory of link {} failed", link.linkId, e);
        } finally {
            counters.add(PluginMeter.LINKS_OPEN, -1);
            execute(() -> {
                limits.count(link.isFirst, -1);
                linksOfThread[threads.indexOf(link.owner)]--;
            });
        }
    }

    /** Any thread: has the control thread do that, unless it has ended. */
    void execute(Runnable task) {
        if (controlThread.inEventLoop()) {
            task.run();
        } else if (!controlThread.isShutdown()) {
            controlThread.execute(task);
        }
    }
}
