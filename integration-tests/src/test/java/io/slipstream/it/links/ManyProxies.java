// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.links;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.slipstream.link.BrokerLink;
import io.slipstream.link.BrokerLinks;
import io.slipstream.link.Devices;
import io.slipstream.link.LinkEnvironment;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.control.ControlEndpoints;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.process.BrokerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Idle proxies in this process. Each has its own control connection and one link, of the shipped module, to the broker.
 * They share two event loops and one device of the {@code shm} provider. Their credits are few, to save memory here;
 * the broker's share of a link does not depend on them.
 */
final class ManyProxies implements AutoCloseable {
    private static final int CREDITS = 16;
    private static final int REPLY_RING_BYTES = 4 << 20;
    private static final long CONTROL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, EpollIoHandler.newFactory());
    private final ExecutorService setup = Executors.newSingleThreadExecutor();
    private final NameLookups names = new NameLookups();
    private final MeterRegistry registry = new MeterRegistry(Meter.values());
    private final LinkMeters meters;
    private final Devices devices;
    private final List<Proxy> proxies = new ArrayList<>();
    /** Of the last round of {@link #requestLinks}. */
    private final AtomicInteger requestsLeft = new AtomicInteger();

    private record Proxy(EventLoop loop, BrokerLinks links, BrokerLink link, ControlEndpoints endpoints) {}

    ManyProxies(BrokerProcess broker, int count) {
        LinkSettings defaults = LinkSettings.of(
                TransportSettings.DEFAULT, broker.slipstreamDirectory(), ControlPorts.NONE, CONTROL_TIMEOUT_NS);
        LinkSettings settings = new LinkSettings(
                defaults.transport(),
                defaults.directory(),
                defaults.controlPorts(),
                REPLY_RING_BYTES,
                CREDITS,
                CREDITS,
                defaults.ringWaitNs(),
                defaults.controlTimeoutNs(),
                defaults.retryMinNs(),
                defaults.retryMaxNs(),
                defaults.absenceNs(),
                TimeUnit.HOURS.toNanos(1));
        meters = new LinkMeters(registry);
        devices = new Devices(settings.transport(), registry);
        PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        LinkEnvironment environment = new LinkEnvironment(settings, devices, meters, setup, allocator);
        for (int i = 0; i < count; i++) {
            EventLoop loop = loops.next();
            LoopMemory memory = new LoopMemory(loop, 1 << 20, allocator, setup, registry);
            ControlEndpoints endpoints = new ControlEndpoints(settings, "proxy-" + i, names);
            BrokerLinks links = new BrokerLinks(new LoopTurn(loop), environment, endpoints, memory);
            BrokerLink link = links.to(broker.clusterId(), broker.nodeId());
            proxies.add(new Proxy(loop, links, link, endpoints));
        }
    }

    /** Asks for the links that are absent, as a client's request does, unless the loops still have the last round. */
    void requestLinks() {
        if (requestsLeft.compareAndSet(0, proxies.size())) {
            proxies.forEach(proxy -> proxy.loop.execute(() -> {
                requestsLeft.decrementAndGet();
                proxy.link.request(BrokerLink.Waiter.NOBODY);
            }));
        }
    }

    /** Returns the number of links that are up. */
    long linksUp() {
        return meters.linksUp.sum();
    }

    /** Returns the number of links that ended before the device had completed their requests. */
    long fencesAbandoned() {
        return registry.value(Meter.FENCES, "abandoned");
    }

    @Override
    public void close() {
        CompletableFuture.allOf(proxies.stream()
                        .map(proxy -> CompletableFuture.supplyAsync(proxy.links::close, proxy.loop)
                                .thenCompose(ended -> ended))
                        .toArray(CompletableFuture<?>[]::new))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        proxies.forEach(proxy -> proxy.endpoints.close());
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
        setup.execute(devices::close);
        setup.shutdown();
        names.close();
    }
}
