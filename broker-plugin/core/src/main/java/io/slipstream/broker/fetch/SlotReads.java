// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Read access to the broker's logs for all links. All its threads are daemons. The locators wait for the authorizer and
 * for logs. The worker thread grants, registers and deregisters. The rights thread ends sessions that expire, and asks
 * the authorizer again. The heartbeat thread only moves the heartbeats of all slot tables. It stops if the last check
 * of all rights began more than a lease ago, so that proxies trust no right that nobody checks. The broker's own
 * threads publish watermarks ({@link LogEvents}).
 *
 * <p>A Locate passes permission check, slot, {@linkplain RegisteredBytes charge} and registration. If the log changes
 * meanwhile, it starts again.
 */
public class SlotReads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SlotReads.class);
    private static final int MAX_PENDING_QUESTIONS = 16_384;
    private static final int LOCATE_ATTEMPTS = 3;
    /** As many threads as a stock broker has for requests by default. */
    private static final int LOCATORS = 8;
    /** They end then. */
    private static final long LOCATOR_IDLE_S = 10;

    private static final long EXPORT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int BEATS_PER_LEASE = 8;
    /** One page, the price of a region that pins nothing. It bounds the number of regions. */
    private static final long MIN_CHARGE_BYTES = SegmentWindow.PAGE_BYTES;

    private static final long WARNING_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

    private final ReadsConfig config;
    private final PartitionLogs logs;
    private final ReadAccounts accounts;
    /** Worker thread only. */
    private final ReadAllowances allowances;

    final SlotDirectory directory = new SlotDirectory();
    private final RegisteredBytes bytes;
    final SegmentExports segments;
    private final List<LinkSlots> links = new CopyOnWriteArrayList<>();

    /**
     * Margin before an authentication expires at which its reading ends. The check is periodic, and no read may be
     * served after the expiry.
     */
    private final long expiryMarginNs;

    private final AtomicInteger pendingQuestions = new AtomicInteger();
    final LongAdder expirations = new LongAdder();
    private final List<MeterRegistry.Registration> gauges = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor heartbeat = daemon("slipstream-heartbeat");
    private final ScheduledThreadPoolExecutor worker = daemon("slipstream-reads");
    /** The bound on pending questions bounds its queue. */
    private final ScheduledThreadPoolExecutor locators = daemon("slipstream-locator");

    private final ScheduledThreadPoolExecutor rights = daemon("slipstream-rights");
    private final LongAdder heartbeatsWithheld = new LongAdder();
    /** When the last complete check of all rights began. */
    private volatile long checkedAtNs = System.nanoTime();
    /** Worker thread only. */
    private long lastWarningNs = System.nanoTime() - WARNING_INTERVAL_NS;

    public SlotReads(ReadsConfig config, PartitionLogs logs, ReadAccounts accounts) {
        this.config = config;
        this.logs = logs;
        this.accounts = accounts;
        this.allowances = new ReadAllowances(TimeUnit.MILLISECONDS.toNanos(ControlResponse.ReadAllowance.GOOD_FOR_MS));
        this.bytes = new RegisteredBytes(config.registeredBytes(), config.mostRegions());
        this.segments = new SegmentExports(directory, bytes);
        locators.setCorePoolSize(LOCATORS);
        locators.setKeepAliveTime(LOCATOR_IDLE_S, TimeUnit.SECONDS);
        locators.allowCoreThreadTimeOut(true);
        LogEvents.open(directory, segments);
        long beatNs = Math.max(1, config.leaseNs() / BEATS_PER_LEASE);
        this.expiryMarginNs = 2 * beatNs;
        heartbeat.scheduleAtFixedRate(this::beat, beatNs, beatNs, TimeUnit.NANOSECONDS);
        worker.scheduleWithFixedDelay(this::expire, beatNs, beatNs, TimeUnit.NANOSECONDS);
        rights.scheduleWithFixedDelay(this::checkRights, beatNs, beatNs, TimeUnit.NANOSECONDS);
    }

    private static ScheduledThreadPoolExecutor daemon(String name) {
        return new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory(name, true));
    }

    /** Returns the bytes that are charged now. */
    public long registeredBytes() {
        return bytes.chargedBytes();
    }

    /** Registers gauges of the links' reads and grants until {@link #close}. */
    public void meter(MeterRegistry registry) {
        gauges.add(registry.supply(directory.revocations::sum, PluginMeter.GRANTS_REVOKED, "read"));
        gauges.add(registry.supply(expirations::sum, PluginMeter.GRANTS_EXPIRED));
        gauges.add(registry.supply(heartbeatsWithheld::sum, PluginMeter.HEARTBEATS_WITHHELD));
        gauges.add(registry.supply(bytes::chargedBytes, PluginMeter.SEGMENT_BYTES));
        gauges.add(registry.supply(config::registeredBytes, PluginMeter.SEGMENT_BYTES_LIMIT));
        gauges.add(registry.supply(bytes::regions, PluginMeter.REGIONS));
        gauges.add(registry.supply(config::mostRegions, PluginMeter.REGIONS_LIMIT));
        gauges.add(registry.supply(pendingQuestions::get, PluginMeter.QUESTIONS_WAITING));
        gauges.add(registry.supply(
                () -> links.stream().mapToLong(link -> link.table.inUse()).sum(), PluginMeter.SLOTS_IN_USE));
    }

    /**
     * Does not wait for the peer, see {@link LinkSlots#exported}. Any thread.
     *
     * @param proxy identity of the proxy, to which the link's regions are charged
     * @param queuePair the connected queue pair to which slot table, arm table and segments are exported
     * @param doorbell rings an armed slot's doorbell, by slot index; callable from any thread, never blocks
     */
    public LinkSlots open(Object proxy, ProtectionDomain domain, QueuePair queuePair, IntConsumer doorbell)
            throws IOException {
        SlotTablePublisher table = new SlotTablePublisher(domain, config, doorbell);
        LinkAccount account = new LinkAccount(accounts, allowances, System.nanoTime());
        LinkSlots link = new LinkSlots(this, proxy, domain, queuePair, table, account);
        links.add(link);
        return link;
    }

    CompletionStage<ControlResponse.Locate> locate(
            LinkSlots link, BoundSession session, ControlRequest.Locate request) {
        return ask(request, locators, () -> locateNow(link, session, request, 1));
    }

    CompletionStage<ControlResponse.ListAborted> listAborted(GrantedSlot slot, ControlRequest.ListAborted request) {
        return ask(
                request,
                worker,
                () -> CompletableFuture.completedFuture(AbortedAnswers.answer(directory, slot, request)));
    }

    /** Answers a question on a thread of the executor, or refuses it if too many are waiting. Completes in any case. */
    private <A extends ControlResponse> CompletionStage<A> ask(
            ControlRequest request, Executor executor, Supplier<CompletionStage<A>> answer) {
        if (pendingQuestions.incrementAndGet() > MAX_PENDING_QUESTIONS) {
            pendingQuestions.decrementAndGet();
            return CompletableFuture.completedFuture(
                    refusal(request, ControlError.LIMIT, MAX_PENDING_QUESTIONS + " requests are waiting"));
        }
        Supplier<CompletionStage<A>> counted = () -> {
            pendingQuestions.decrementAndGet();
            return answer.get();
        };
        try {
            return CompletableFuture.supplyAsync(counted, executor)
                    .thenCompose(stage -> stage)
                    .exceptionally(failure -> {
                        if (failure.getCause() instanceof RefusedException refused) {
                            return refusal(request, refused.error, refused.getMessage());
                        }
                        log.warn("{} failed", request, failure);
                        return refusal(
                                request,
                                ControlError.INTERNAL,
                                failure.getCause().toString());
                    });
        } catch (RejectedExecutionException closed) {
            pendingQuestions.decrementAndGet();
            return CompletableFuture.completedFuture(
                    refusal(request, ControlError.INERT, "the broker is shutting down"));
        }
    }

    /** The refusal of that request. {@link ControlApi} has one response type for each request type. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <A extends ControlResponse> A refusal(ControlRequest request, ControlError error, String message) {
        return (A) ControlApi.of(request).refusal(error, message);
    }

    CompletableFuture<ControlResponse.ReportReads> report(
            LinkAccount account, ControlRequest.ReportReads request, LinkAccount.Reader[] readers) {
        return CompletableFuture.supplyAsync(() -> account.enter(request, readers, System.nanoTime()), this::onWorker)
                .exceptionally(failure -> {
                    log.error("A report of reads failed", failure);
                    return refusal(
                            request, ControlError.LIMIT, failure.getCause().toString());
                });
    }

    /** A locator's thread. Begins again if the log changed meanwhile: it rolled, or its cleaner swapped the segment. */
    private CompletionStage<ControlResponse.Locate> locateNow(
            LinkSlots link, BoundSession session, ControlRequest.Locate request, int attempt) {
        if (worker.isShutdown()) {
            throw new RefusedException(ControlError.INERT, "the broker is shutting down");
        }
        if (session.lifetime.isOver(System.nanoTime() + expiryMarginNs)) {
            throw new RefusedException(ControlError.NOT_READABLE, "the client's authentication expires");
        }
        Object topic = request.topicId().equals(Uuid.ZERO_UUID) ? request.topic() : request.topicId();
        List<Object> asked = Arrays.asList(session, topic);
        // A check of rights that begins from here on has a set of its own, and learns nothing from this answer.
        Set<List<Object>> allowed = link.allowed;
        boolean isAllowed = allowed.contains(asked);
        Located located = logs.locate(session.requestContext(), isAllowed, request);
        if (!isAllowed) {
            allowed.add(asked);
        }
        if (config.excluded().includes(located.log().topic())) {
            throw new RefusedException(
                    ControlError.NOT_READABLE,
                    PluginKeys.TOPICS_EXCLUDED + " names " + located.log().topic());
        }
        String unreadable =
                config.directories().unreadableReason(located.segment().file());
        if (unreadable != null) {
            throw new RefusedException(ControlError.NOT_READABLE, unreadable);
        }
        return CompletableFuture.supplyAsync(
                        () -> window(link, link.grant(session, located.log(), System.nanoTime()), located), worker)
                .thenCompose(answer -> answer != null ? answer : locateAgain(link, session, request, attempt + 1));
    }

    private CompletionStage<ControlResponse.Locate> locateAgain(
            LinkSlots link, BoundSession session, ControlRequest.Locate request, int attempt) {
        if (attempt > LOCATE_ATTEMPTS) {
            throw new RefusedException(
                    ControlError.NOT_READABLE, "the segment was removed or the grant revoked while it was registered");
        }
        return CompletableFuture.supplyAsync(() -> locateNow(link, session, request, attempt), locators)
                .thenCompose(stage -> stage);
    }

    /**
     * Answers with the region for a reader at the located position: an existing one or a new one. Null if the segment
     * was removed.
     */
    private CompletionStage<ControlResponse.Locate> window(LinkSlots link, GrantedSlot slot, Located located) {
        ReadableSegment segment = located.segment();
        boolean pinned = link.domain.pinsFiles();
        SegmentWindow window;
        try {
            long fileBytes = pinned ? Files.size(segment.file()) : 0;
            window = SegmentWindow.plan(pinned, located, segment.sizeBytes(), fileBytes, config.windowBytes());
        } catch (IOException removed) {
            return null;
        }
        SegmentExport known = link.export(slot, segment.identity(), located.position(), window.neededEndBytes());
        if (known != null) {
            return answer(known, located);
        } else if (window.lengthBytes() == 0) {
            return CompletableFuture.completedFuture(slot.answer(located, RemoteMemory.NONE));
        }
        return register(link, slot, located, window, pinned ? window.lengthBytes() : MIN_CHARGE_BYTES);
    }

    private CompletionStage<ControlResponse.Locate> register(
            LinkSlots link, GrantedSlot slot, Located located, SegmentWindow window, long chargedBytes) {
        if (link.isFull()) {
            throw new RefusedException(ControlError.LIMIT, "the link holds too many regions of segments");
        }
        String refusal = bytes.charge(link.proxy, chargedBytes);
        if (refusal != null) {
            throw new RefusedException(ControlError.LIMIT, refusal);
        }
        ReadableSegment segment = located.segment();
        MemoryRegion region;
        try {
            region = link.domain.registerFile(segment.file(), window.startBytes(), window.lengthBytes());
        } catch (IOException | IllegalStateException failure) {
            bytes.discharge(link.proxy, chargedBytes);
            if (!segment.isCurrent()) {
                return null;
            }
            registrationFailed(segment, failure);
            throw new RefusedException(
                    ControlError.NOT_READABLE, "the segment could not be registered: " + failure.getMessage());
        }
        CompletableFuture<Void> exported = new CompletableFuture<>();
        SegmentExport export =
                new SegmentExport(slot, segment, window.startBytes(), region, link.proxy, chargedBytes, exported);
        segments.add(export);
        // From here on a removal of the segment withdraws the export. If it was removed earlier, the path may have led
        // to another file.
        if (!segment.isCurrent() || export.isWithdrawn() || !link.add(export)) {
            segments.remove(export);
            return null;
        }
        link.queuePair
                .export(region)
                .toCompletableFuture()
                .copy()
                .orTimeout(EXPORT_TIMEOUT_NS, TimeUnit.NANOSECONDS)
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        exported.complete(null);
                    } else {
                        export.withdraw(System.nanoTime());
                        exported.completeExceptionally(failure);
                    }
                });
        return answer(export, located);
    }

    /** Completes with the answer that names the export, once the peer can read it. */
    private static CompletionStage<ControlResponse.Locate> answer(SegmentExport export, Located located) {
        return export.exported.handle((done, failure) -> failure == null
                ? export.slot.answer(located, export.remoteMemory())
                : (ControlResponse.Locate) ControlApi.LOCATE.refusal(
                        ControlError.UNKNOWN_HANDLE, "the segment could not be exported: " + failure.getMessage()));
    }

    private void registrationFailed(ReadableSegment segment, Exception failure) {
        long nowNs = System.nanoTime();
        if (Files.exists(segment.file()) && nowNs - lastWarningNs >= WARNING_INTERVAL_NS) {
            lastWarningNs = nowNs;
            log.warn(
                    "Segment {} could not be registered, its readers are served over TCP: {}",
                    segment.file(),
                    failure.getMessage());
        }
    }

    void closed(LinkSlots link) {
        links.remove(link);
        onWorker(link::free);
    }

    /** Runs the task on the worker thread, or on this thread if the worker has ended. */
    void onWorker(Runnable task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException ended) {
            task.run();
        }
    }

    private void beat() {
        if (System.nanoTime() - checkedAtNs > config.leaseNs()) {
            heartbeatsWithheld.increment();
            return;
        }
        for (LinkSlots link : links) {
            link.table.beat();
        }
    }

    private void expire() {
        try {
            long now = System.nanoTime();
            for (LinkSlots link : links) {
                link.expire(now, config.leaseNs());
            }
            segments.settle();
            allowances.expire(now);
        } catch (RuntimeException failure) {
            log.error("Withdrawn segments could not be expired, will retry", failure);
        }
    }

    /** Ends expired sessions, and twice per lease asks the authorizer again. */
    private void checkRights() {
        long now = System.nanoTime();
        try {
            for (LinkSlots link : links) {
                link.endExpired(now + expiryMarginNs);
            }
            if (now - checkedAtNs >= config.leaseNs() / 2) {
                for (LinkSlots link : links) {
                    link.reauthorize(logs);
                }
                checkedAtNs = now;
            }
        } catch (RuntimeException failure) {
            log.error("Rights could not be checked again, will retry", failure);
        }
    }

    @Override
    public void close() {
        LogEvents.close(directory);
        gauges.forEach(MeterRegistry.Registration::close);
        heartbeat.shutdown();
        rights.shutdown();
        // Without an interrupt, which would close the file of a log that a locator reads.
        locators.shutdown();
        links.forEach(LinkSlots::close);
        worker.shutdown();
        try {
            if (!worker.awaitTermination(5, TimeUnit.SECONDS)) {
                log.warn("Some segments were still registered when the read side ended");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
