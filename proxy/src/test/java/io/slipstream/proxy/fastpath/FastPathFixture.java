package io.slipstream.proxy.fastpath;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.slipstream.metrics.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A factory on one event loop and the directory of its peer; checks at the end that everything was given back. */
final class FastPathFixture implements AutoCloseable {
    final Path directory;
    final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    final MeterRegistry meters = new MeterRegistry();
    final RdmaFastPathFactory factory;

    FastPathFixture() throws IOException {
        this(10_000, 10_000, 10_000);
    }

    /** How long requests wait for credit, for their session, and for the plugin to locate them. */
    FastPathFixture(long ringWaitMs, long bindWaitMs, long locateWaitMs) throws IOException {
        directory = Files.createTempDirectory("fp");
        FastPathSettings d = FastPathSettings.defaults(directory);
        long ms = 1_000_000L;
        FastPathSettings settings = new FastPathSettings(
                true,
                "auto",
                directory,
                1 << 14,
                16,
                32,
                ringWaitMs * ms,
                bindWaitMs * ms,
                locateWaitMs * ms,
                10_000 * ms,
                20 * ms,
                100 * ms,
                50 * ms,
                d.readBufferBytes(),
                64);
        factory = new RdmaFastPathFactory(settings, meters, PooledByteBufAllocator.DEFAULT, "test");
    }

    TestClient client(PluginPeer peer) {
        return new TestClient(group.next(), peer, factory);
    }

    @Override
    public void close() throws IOException {
        factory.close();
        assertThat(factory.registeredBytes()).isZero();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
        meters.close();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
