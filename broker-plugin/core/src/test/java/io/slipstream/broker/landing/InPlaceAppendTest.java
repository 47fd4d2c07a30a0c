package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the bytes of a segment when the broker appends while batches are placed there. */
class InPlaceAppendTest {
    private static final int LENGTH_OFFSET = 8;
    private static final int START = MemorySegment.START;

    private final PluginMeters counters = new PluginMeters();
    private final MemorySegment memory = new MemorySegment();
    private final ByteBuffer file = memory.file;
    private final MemorySegment.Segment segment = memory.segment;
    private final MemorySegment.Link link = new MemorySegment.Link(null);
    private final LandingTable table =
            new LandingTable(new MemorySegment.Logs(), new LandingConfig(4096, 1, 1_000_000_000L), counters);
    private final Landing landing =
            new Landing(table, memory.log, segment, link, 7, System.nanoTime() - 2 * Landing.ALONE_NS);

    @BeforeEach
    void begin() {
        landing.extend(memory.window());
        assertThat(landing.begin()).isEqualTo(START);
    }

    @AfterEach
    void end() throws InterruptedException {
        table.remove(landing);
        table.close();
    }

    @Test
    void shouldCommitABatchWhereItLiesByItsLength() {
        ByteBuffer batch = placed(START, 100);

        assertThat(InPlaceAppend.append(landing, batch, table)).isEqualTo(100);

        assertThat(segment.sizeBytes).isEqualTo(START + 100);
        assertThat(file.getInt(LENGTH_OFFSET)).isEqualTo(88);
        assertThat(counters.get(PluginMeter.BATCHES_COMMITTED_IN_PLACE)).isEqualTo(1);
    }

    @Test
    void shouldMoveABatchBehindARefusedOneAndLeaveZerosBehindIt() {
        LandingWindow window = landing.take(START, 100, 0);
        memory.fill(START, 100, (byte) 1);
        landing.take(START + 100, 80, 0);
        memory.fill(START + 100, 80, (byte) 2);
        landing.handle(window, START, 100);
        landing.handled(window, START, 100);

        ByteBuffer moved = landing.handle(window, START + 100, 80);
        InPlaceAppend.append(landing, moved, table);

        assertThat(segment.sizeBytes).isEqualTo(START + 80);
        assertThat(file.getInt(LENGTH_OFFSET)).isEqualTo(68);
        assertThat(file.get(79)).isEqualTo((byte) 2);
        for (int i = 80; i < 180; i++) {
            assertThat(file.get(i)).as("byte %d behind the log's end", i - 80).isZero();
        }
        assertThat(counters.get(PluginMeter.BATCHES_MOVED)).isEqualTo(1);
        assertThat(link.revoked).hasSize(1);
    }

    /** Behind the batch being handled others may lie already, or be on their way. */
    @Test
    void shouldRefuseWhatTheBrokerMadeLonger() {
        placed(START, 100);
        ByteBuffer longer = ByteBuffer.allocate(101);

        assertThatThrownBy(() -> InPlaceAppend.append(landing, longer, table)).hasMessageContaining("no room");
        assertThat(segment.sizeBytes).isEqualTo(START);
    }

    @Test
    void shouldTakeABatchOnlyBehindTheOneBefore() {
        assertThat(landing.take(START + 1, 100, 0)).as("a gap").isNull();
        assertThat(landing.take(START, 100, 0)).isNotNull();
        assertThat(landing.take(START, 100, 0)).as("twice").isNull();
        assertThat(landing.take(START + 100, 5000, 0)).as("beyond the window").isNull();
        assertThat(landing.take(START + 100, 12, 0)).as("no batch").isNull();
    }

    /** Retention looks at each log again and again; with a pause that doubles each time nothing would be placed after some hours. */
    @Test
    void shouldPauseForOtherWritersOnly() {
        table.add(landing);

        assertThat(table.mayRoll(segment)).isFalse();

        assertThat(link.revoked).hasSize(1);
        assertThat(pauseNs()).isZero();
        Landing next = new Landing(
                table, memory.log, segment, new MemorySegment.Link(null), 7, System.nanoTime() - 2 * Landing.ALONE_NS);
        next.extend(memory.window());
        assertThat(next.begin()).isEqualTo(START);
        table.revoke(next);
        assertThat(pauseNs()).isPositive();
    }

    /** Kafka's fetcher gives a partition up for what tells a producer to send again. */
    @Test
    void shouldHaveAProducerLookForTheLeaderAndAFollowerTryAgain() {
        table.add(landing);
        ByteBuffer batch = ByteBuffer.allocate(100);

        assertThatThrownBy(() -> table.append(segment, batch)).isInstanceOf(IllegalStateException.class);
        memory.log.leader = false;
        assertThatThrownBy(() -> table.append(segment, batch)).isInstanceOf(ArithmeticException.class);

        assertThat(segment.sizeBytes).isEqualTo(START);
        assertThat(counters.get(PluginMeter.LANDING_CONFLICTS)).isEqualTo(2);
    }

    private long pauseNs() {
        return table.contention().leftNs(landing.log().topic(), landing.log().partition());
    }

    private ByteBuffer placed(int position, int lengthBytes) {
        memory.fill(position, lengthBytes, (byte) 1);
        LandingWindow window = landing.take(position, lengthBytes, 0);
        return landing.handle(window, position, lengthBytes);
    }
}
