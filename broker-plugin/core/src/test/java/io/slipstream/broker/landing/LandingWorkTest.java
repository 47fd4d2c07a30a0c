package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the broker does with a log while a window of it is prepared. */
@Timeout(30)
class LandingWorkTest {
    private static final int WINDOW_BYTES = 128 * 1024;

    private final LandingTable table = new LandingTable(
            new MemorySegment.Logs(),
            new LandingConfig(WINDOW_BYTES, 1, TimeUnit.SECONDS.toNanos(60)),
            new PluginMeters());
    private final MemorySegment memory = new MemorySegment();
    private final LinkLandings landings = new LinkLandings(domain(), queuePair());
    private final MemorySegment.Link link = new MemorySegment.Link(landings);
    private final AtomicInteger opened = new AtomicInteger();

    @BeforeEach
    void writeSegment(@TempDir Path directory) throws Exception {
        memory.segment.path = Files.createFile(directory.resolve("segment"));
    }

    @Test
    void shouldPrepareOnceMoreWhenTheLogWasCheckedMeanwhile() throws Exception {
        memory.segment.whenPrepared = () -> {
            if (opened.incrementAndGet() == 1) {
                table.beforeLogChange(memory.log);
            }
        };

        ControlResponse answer = prepare();

        assertThat(answer.error()).isEqualTo(ControlError.NONE);
        int id = ((ControlResponse.PrepareLanding) answer).landingId();
        assertThat(((Landing) landings.get(id)).state()).isEqualTo(Landing.State.PREPARED);
        table.beforeLogChange(memory.log);
        table.close();
        assertThat(table.isIdle()).isTrue();
    }

    @Test
    void shouldGiveUpWhereTheLogChangesAllTheTime() throws Exception {
        memory.segment.whenPrepared = () -> {
            opened.incrementAndGet();
            table.beforeLogChange(memory.log);
        };

        assertThat(prepare().error()).isEqualTo(ControlError.NOT_LANDABLE);

        assertThat(opened).hasValueBetween(3, 6);
        table.close();
        assertThat(table.isIdle()).isTrue();
    }

    private ControlResponse prepare() throws Exception {
        return table.prepare(
                        landings, link, memory.log, new ControlRequest.PrepareLanding(1, 1, Uuid.ZERO_UUID, "t", 0))
                .get(20, TimeUnit.SECONDS);
    }

    private static ProtectionDomain domain() {
        return (ProtectionDomain) Proxy.newProxyInstance(
                ProtectionDomain.class.getClassLoader(),
                new Class<?>[] {ProtectionDomain.class},
                (domain, method, arguments) -> method.getName().equals("registerFileForWriting")
                        ? new MemorySegment.Region(ByteBuffer.allocateDirect(((Number) arguments[2]).intValue()))
                        : false);
    }

    private static QueuePair queuePair() {
        return (QueuePair) Proxy.newProxyInstance(
                QueuePair.class.getClassLoader(),
                new Class<?>[] {QueuePair.class},
                (queuePair, method, arguments) -> CompletableFuture.completedFuture(null));
    }
}
