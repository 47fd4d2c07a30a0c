// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.slipstream.link.meter.Meter;
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
 * Target memory of one event loop's READs, by protection domain; created when the first link is set up. Thread-safe,
 * but the memory that it provides is not.
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

    /** @param registeredBytes size for domains that require registered memory; a power of two */
    public LoopMemory(
            EventLoop loop, int registeredBytes, ByteBufAllocator allocator, Executor setup, MeterRegistry registry) {
        this.loop = loop;
        this.registeredBytes = registeredBytes;
        this.allocator = allocator;
        this.setup = setup;
        this.registry = registry;
    }

    /**
     * The memory for queue pairs of that domain. May block, so it must not run on an event loop.
     *
     * @throws IOException naming the setting
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
            gauges.add(registry.supply(memory::usedBytes, Meter.READ_MEMORY_IN_USE_BYTES));
            return memory;
        } catch (IOException e) {
            throw new IOException("rdma.read.memory.bytes=" + registeredBytes + ": " + e.getMessage(), e);
        }
    }

    /**
     * Call it on the event loop, after its links have ended. Completes when all memory is released and deregistered.
     */
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
