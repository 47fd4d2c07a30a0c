// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.slipstream.metrics.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.ProtectionDomain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What one event loop reads into, by protection domain; made when its first link is set up. Thread-safe, except what it
 * gives out.
 */
public final class LoopMemory {
    private final EventLoop loop;
    private final int registeredBytes;
    private final ByteBufAllocator allocator;
    private final Executor setup;
    private final MeterRegistry registry;
    private final Map<ProtectionDomain, ReadMemory> byDomain = new HashMap<>();
    private final List<MeterRegistry.Registration> gauges = new ArrayList<>();
    private boolean closed;

    /** @param registeredBytes for domains that demand registered memory; a power of two */
    public LoopMemory(
            EventLoop loop, int registeredBytes, ByteBufAllocator allocator, Executor setup, MeterRegistry registry) {
        this.loop = loop;
        this.registeredBytes = registeredBytes;
        this.allocator = allocator;
        this.setup = setup;
        this.registry = registry;
    }

    /**
     * The memory for queue pairs of that domain. May block: not for event loops. Throws IOException that names the
     * setting.
     */
    public synchronized ReadMemory of(ProtectionDomain domain) throws IOException {
        ReadMemory known = byDomain.get(domain);
        if (known != null) {
            return known;
        }
        if (closed) {
            throw new IOException("the event loop's memory is closed");
        }
        ReadMemory made = domain.anyLocalMemoryKey() == -1
                ? register(domain)
                : new AnyMemory(allocator, domain.anyLocalMemoryKey());
        byDomain.put(domain, made);
        return made;
    }

    private RegisteredReadMemory register(ProtectionDomain domain) throws IOException {
        try {
            RegisteredReadMemory memory = new RegisteredReadMemory(
                    loop, domain.allocate(registeredBytes, EnumSet.noneOf(Access.class)), setup);
            gauges.add(registry.supply(memory::usedBytes, Meter.READ_MEMORY_IN_USE));
            return memory;
        } catch (IOException e) {
            throw new IOException("rdma.read.memory.bytes=" + registeredBytes + ": " + e.getMessage(), e);
        }
    }

    /** On the event loop, after its links have ended. Completes when all memory is back and deregistered. */
    public synchronized CompletableFuture<Void> close() {
        closed = true;
        gauges.forEach(MeterRegistry.Registration::close);
        gauges.clear();
        return CompletableFuture.allOf(byDomain.values().stream()
                .filter(RegisteredReadMemory.class::isInstance)
                .map(memory -> ((RegisteredReadMemory) memory).close())
                .toArray(CompletableFuture<?>[]::new));
    }
}
