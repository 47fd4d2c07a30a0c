// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.net.SlowNames;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.count.PartitionTables;
import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A factory on one event loop and the directory of its peer; checks at the end that all resources were released. */
final class FastPathFixture implements AutoCloseable {
    static final int READ_MEMORY_BYTES = 8 << 20;
    static final long OUTBOUND_BYTES = 128 << 20;
    private static final long IDLE_MS = 300_000;
    /** Two providers of the same memory; the second has the restrictions of a device. */
    static final String ANY_MEMORY = "shm";

    static final String REGISTERED_MEMORY = RegisteredOnlyProvider.NAME;

    private static final TransportSettings DEFAULT_TRANSPORT =
            new TransportSettings("auto", DeviceConfig.DEFAULT, TransportSettings.SPIN_NS, READ_MEMORY_BYTES);

    /** The provider that the plugin offers. */
    final String provider;

    final Path directory;
    final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    final MeterRegistry meters = new MeterRegistry(Meter.values());
    final SlowNames slowNames = new SlowNames();
    private final NameLookups names = new NameLookups(slowNames);
    final RdmaFastPathFactory factory;

    FastPathFixture(String provider) throws IOException {
        this(provider, 10_000, 10_000, 10_000);
    }

    /** Longest waits of requests for credit, for their session, and for Locate answers. */
    FastPathFixture(String provider, long ringWaitMs, long bindWaitMs, long locateWaitMs) throws IOException {
        this(DEFAULT_TRANSPORT, ControlPorts.NONE, provider, ringWaitMs, bindWaitMs, locateWaitMs);
    }

    FastPathFixture(TransportSettings transport, ControlPorts ports, String provider) throws IOException {
        this(transport, ports, provider, 10_000, 10_000, 10_000);
    }

    /** With that longest wait for an answer of the plugin on the control connection. */
    FastPathFixture(TransportSettings transport, ControlPorts ports, String provider, long controlMs)
            throws IOException {
        this(
                transport,
                ports,
                provider,
                10_000,
                10_000,
                10_000,
                64,
                controlMs,
                IDLE_MS,
                PooledByteBufAllocator.DEFAULT);
    }

    /** With that allocator of the memory for records. */
    FastPathFixture(ByteBufAllocator allocator) throws IOException {
        this(DEFAULT_TRANSPORT, ControlPorts.NONE, ANY_MEMORY, 10_000, 10_000, 10_000, 64, 10_000, IDLE_MS, allocator);
    }

    /** With that largest number of partitions of a Fetch. */
    FastPathFixture(int partitionsPerFetch) throws IOException {
        this(partitionsPerFetch, IDLE_MS);
    }

    /** Whose links end when they have had no session for so long. */
    static FastPathFixture idling(long idleMs) throws IOException {
        return new FastPathFixture(64, idleMs);
    }

    private FastPathFixture(int partitionsPerFetch, long idleMs) throws IOException {
        this(
                DEFAULT_TRANSPORT,
                ControlPorts.NONE,
                ANY_MEMORY,
                10_000,
                10_000,
                10_000,
                partitionsPerFetch,
                10_000,
                idleMs,
                PooledByteBufAllocator.DEFAULT);
    }

    private FastPathFixture(
            TransportSettings transport,
            ControlPorts ports,
            String provider,
            long ringWaitMs,
            long bindWaitMs,
            long locateWaitMs)
            throws IOException {
        this(
                transport,
                ports,
                provider,
                ringWaitMs,
                bindWaitMs,
                locateWaitMs,
                64,
                10_000,
                IDLE_MS,
                PooledByteBufAllocator.DEFAULT);
    }

    private FastPathFixture(
            TransportSettings transport,
            ControlPorts ports,
            String provider,
            long ringWaitMs,
            long bindWaitMs,
            long locateWaitMs,
            int partitionsPerFetch,
            long controlMs,
            long idleMs,
            ByteBufAllocator allocator)
            throws IOException {
        this.provider = provider;
        directory = Files.createTempDirectory("fp");
        long ms = 1_000_000L;
        LinkSettings link = new LinkSettings(
                transport,
                directory,
                ports,
                1 << 14,
                16,
                32,
                ringWaitMs * ms,
                controlMs * ms,
                20 * ms,
                100 * ms,
                50 * ms,
                idleMs * ms);
        FastPathSettings settings = new FastPathSettings(
                true, link, bindWaitMs * ms / 4, bindWaitMs * ms, locateWaitMs * ms, partitionsPerFetch, 16 << 11);
        factory = new RdmaFastPathFactory(
                settings,
                meters,
                allocator,
                "test",
                names,
                new PartitionTables(),
                new OutboundBudget(OUTBOUND_BYTES, meters),
                LoopTurn.ofEachLoop());
    }

    /** The plugin's end, on the same directory. */
    PluginPeer peer() throws IOException {
        return new PluginPeer(directory, provider);
    }

    TestClient client(PluginPeer peer) {
        return new TestClient(group.next(), peer, factory);
    }

    @Override
    public void close() throws IOException {
        await("buffers to be given back")
                .atMost(Duration.ofSeconds(10))
                .until(() -> meters.value(Meter.READ_MEMORY_IN_USE_BYTES) == 0
                        && meters.value(Meter.OUTBOUND_BYTES, "read") == 0);
        factory.close();
        names.close();
        slowNames.release();
        assertThat(factory.registeredBytes()).isZero();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        meters.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
