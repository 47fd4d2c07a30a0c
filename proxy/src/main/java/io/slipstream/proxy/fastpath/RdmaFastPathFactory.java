package io.slipstream.proxy.fastpath;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.fastpath.fetch.ReadBudget;
import io.slipstream.proxy.fastpath.link.BrokerLink;
import io.slipstream.proxy.fastpath.link.BrokerLinks;
import io.slipstream.proxy.fastpath.link.ControlEndpoints;
import io.slipstream.proxy.fastpath.link.Devices;
import io.slipstream.proxy.fastpath.link.LinkEnvironment;
import io.slipstream.proxy.fastpath.link.LinkMeters;
import io.slipstream.proxy.fastpath.session.ClientFastPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RDMA for the clients of one proxy. Links and budgets are kept for each event loop, control connections and devices for the whole
 * proxy. Event loops that cannot wait for a completion queue's descriptor (NIO) get no fast path.
 */
public final class RdmaFastPathFactory implements FastPathFactory {
    private static final Logger log = LoggerFactory.getLogger(RdmaFastPathFactory.class);
    private static final long CLOSE_TIMEOUT_MS = 5_000;

    private final FastPathSettings settings;
    private final Devices devices;
    private final ControlEndpoints endpoints;
    private final LinkEnvironment environment;
    private final ExecutorService setup;
    private final Map<EventLoop, LoopResources> byLoop = new ConcurrentHashMap<>();
    private volatile boolean enabled;
    private volatile boolean closed;

    private record LoopResources(BrokerLinks links, ReadBudget budget) {}

    /** @param proxyId names this proxy in the logs of brokers */
    public RdmaFastPathFactory(
            FastPathSettings settings, MeterRegistry registry, ByteBufAllocator allocator, String proxyId) {
        this.settings = settings;
        this.enabled = settings.enabled();
        this.devices = new Devices(settings.provider(), registry);
        this.endpoints = new ControlEndpoints(settings, proxyId);
        this.setup = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "slipstream-link-setup");
            thread.setDaemon(true);
            return thread;
        });
        this.environment = new LinkEnvironment(settings, devices, new LinkMeters(registry), setup, allocator);
    }

    @Override
    public FastPath open(ClientConnection connection) {
        EventLoop loop = connection.eventLoop();
        if (closed || !BrokerLinks.isSupportedBy(loop)) {
            return new UnavailableFastPath();
        }
        LoopResources resources = resourcesOf(loop);
        return new ClientFastPath(connection, resources.links(), () -> enabled, environment, resources.budget());
    }

    private LoopResources resourcesOf(EventLoop loop) {
        return byLoop.computeIfAbsent(
                loop,
                one -> new LoopResources(
                        new BrokerLinks(one, environment, endpoints), new ReadBudget(settings.readBufferBytes())));
    }

    @Override
    public void prepare(EventLoop loop, String clusterId, int nodeId) {
        if (enabled && !closed && BrokerLinks.isSupportedBy(loop)) {
            loop.execute(() -> resourcesOf(loop).links().to(clusterId, nodeId).request(BrokerLink.Waiter.NOBODY));
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

    /** Ends all links and gives everything back; from a thread that is no event loop. The event loops must still run. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        List<io.netty.util.concurrent.Future<?>> ends = new ArrayList<>();
        byLoop.forEach((loop, resources) -> {
            if (!loop.isShuttingDown()) {
                ends.add(loop.submit(resources.links()::close));
            }
        });
        for (io.netty.util.concurrent.Future<?> end : ends) {
            if (!end.awaitUninterruptibly(CLOSE_TIMEOUT_MS)) {
                log.warn("an event loop did not end its links within {} ms", CLOSE_TIMEOUT_MS);
            }
        }
        endpoints.close();
        setup.shutdown();
        try {
            if (!setup.awaitTermination(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                log.warn("memory was not deregistered within {} ms", CLOSE_TIMEOUT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        devices.close();
    }
}
