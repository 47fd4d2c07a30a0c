// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.link.BrokerLink;
import io.slipstream.link.BrokerLinks;
import io.slipstream.link.Devices;
import io.slipstream.link.LinkEnvironment;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.control.ControlEndpoints;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.work.CompletionEvents;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.count.PartitionTables;
import io.slipstream.proxy.fetch.FetchResources;
import io.slipstream.proxy.fetch.FetchSessions;
import io.slipstream.proxy.fetch.SharedReads;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RDMA for the clients of one proxy. Each event loop has its own links; control connections and devices are
 * shared by the whole proxy. Event loops that cannot wait for a completion queue's descriptor (NIO) have no fast path.
 */
public final class RdmaFastPathFactory implements FastPathFactory {
    private static final Logger log = LoggerFactory.getLogger(RdmaFastPathFactory.class);
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final FastPathSettings settings;
    private final MeterRegistry registry;
    private final Devices devices;
    private final ControlEndpoints endpoints;
    private final LinkEnvironment environment;
    private final ExecutorService setup;
    private final PartitionTables partitions;
    private final OutboundBudget budget;
    private final Function<EventLoop, LoopTurn> turns;
    private final Map<EventLoop, LoopResources> byLoop = new ConcurrentHashMap<>();
    private volatile boolean enabled;
    private volatile boolean closed;

    private record LoopResources(BrokerLinks links, LoopMemory memory, FetchResources fetches) {}

    /**
     * @param proxyId names this proxy in the logs of brokers
     * @param names must stay open while this object is used; the caller closes it
     */
    public RdmaFastPathFactory(
            FastPathSettings settings,
            MeterRegistry registry,
            ByteBufAllocator allocator,
            String proxyId,
            NameLookups names,
            PartitionTables partitions,
            OutboundBudget budget,
            Function<EventLoop, LoopTurn> turns) {
        this.turns = turns;
        this.budget = budget;
        this.settings = settings;
        this.registry = registry;
        this.partitions = partitions;
        this.enabled = settings.enabled();
        this.devices = new Devices(settings.link().transport(), registry);
        this.endpoints = new ControlEndpoints(settings.link(), proxyId, names);
        this.setup = Executors.newSingleThreadExecutor(new DefaultThreadFactory("slipstream-link-setup", true));
        this.environment = new LinkEnvironment(settings.link(), devices, new LinkMeters(registry), setup, allocator);
    }

    @Override
    public FastPath open(ClientConnection connection) {
        EventLoop loop = connection.eventLoop();
        if (closed || !CompletionEvents.isSupportedBy(loop)) {
            return null;
        }
        LoopResources resources = resourcesOf(loop);
        return new ClientFastPath(connection, resources.links(), () -> enabled, resources.fetches());
    }

    private LoopResources resourcesOf(EventLoop loop) {
        return byLoop.computeIfAbsent(loop, this::resourcesFor);
    }

    private LoopResources resourcesFor(EventLoop loop) {
        LoopMemory memory = new LoopMemory(
                loop, settings.link().transport().readMemoryBytes(), environment.allocator(), setup, registry);
        SharedReads reads = new SharedReads(loop, budget, environment.meters(), SharedReads.LEAST_BYTES);
        FetchSessions sessions =
                new FetchSessions(settings.fetchSessionBytesPerLoop(), registry.count(Meter.FETCH_SESSIONS));
        return new LoopResources(
                new BrokerLinks(turns.apply(loop), environment, endpoints, memory),
                memory,
                new FetchResources(loop, environment, settings, reads, sessions, partitions.own()));
    }

    @Override
    public void brokerAt(int nodeId, String host) {
        endpoints.learn(nodeId, host);
    }

    @Override
    public String describe() {
        return devices.describe();
    }

    @Override
    public void prepare(ClientConnection connection) {
        EventLoop loop = connection.eventLoop();
        if (enabled && !closed && connection.clusterId() != null && CompletionEvents.isSupportedBy(loop)) {
            BrokerLinks links = resourcesOf(loop).links();
            links.to(connection.clusterId(), connection.nodeId()).request(BrokerLink.Waiter.NOBODY);
        }
    }

    @Override
    public void setEnabled(boolean on) {
        if (enabled != on) {
            log.info("the fast path is switched {}", on ? "on" : "off");
        }
        enabled = on;
    }

    @Override
    public boolean isEnabled() {
        return enabled;
    }

    /** Bytes registered with the transport; 0 after {@link #close}. */
    public long registeredBytes() {
        return devices.registeredBytes();
    }

    /** Closes all links and releases their resources. Must not run on an event loop; the event loops must still run. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        byLoop.forEach((loop, resources) -> {
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            if (loop.isShuttingDown()) {
                end.complete(null);
            } else {
                loop.execute(() -> resources
                        .links()
                        .close()
                        .thenCompose(linksEnded -> resources.memory().close())
                        .thenAccept(end::complete));
            }
        });
        boolean quiet = CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                .thenApply(ended -> true)
                .completeOnTimeout(false, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .join();
        endpoints.close();
        setup.shutdown();
        try {
            if (!setup.awaitTermination(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                log.warn("memory was not deregistered within {} ms", CLOSE_TIMEOUT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (quiet) {
            devices.close();
        } else {
            // Unmapping memory that is still being written to a client's socket would crash the process.
            log.warn(
                    "buffers of records were not given back within {} ms; their memory stays registered",
                    CLOSE_TIMEOUT_MS);
        }
    }
}
