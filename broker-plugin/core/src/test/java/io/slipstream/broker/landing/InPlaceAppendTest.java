package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.metrics.PluginCounters;
import io.slipstream.broker.metrics.PluginCounters.Counter;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.agrona.BufferUtil;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the bytes of a segment when the broker appends while batches are placed there. */
class InPlaceAppendTest {
    private static final int LENGTH_OFFSET = 8;
    private static final int START = 8192;

    private final PluginCounters counters = new PluginCounters();
    private final ByteBuffer file = ByteBuffer.allocateDirect(4096);
    private final Segment segment = new Segment();
    private int revoked;
    private boolean leader = true;
    private final LandingWork work = new LandingWork();
    private final LandingTable table =
            new LandingTable(new Logs(), new LandingConfig(4096, 1, 1_000_000_000L), counters, work);
    private final Landing landing =
            new Landing(table, new Log(), segment, new Link(), 7, System.nanoTime() - 2 * Landing.ALONE_NS);

    @BeforeEach
    void begin() {
        landing.extend(new LandingWindow(new Region(), START));
        assertThat(landing.begin()).isEqualTo(START);
    }

    @AfterEach
    void end() {
        table.close();
    }

    @Test
    void shouldCommitABatchWhereItLiesByItsLength() {
        ByteBuffer batch = placed(START, 100);

        assertThat(InPlaceAppend.append(landing, batch, table)).isEqualTo(100);

        assertThat(segment.sizeBytes).isEqualTo(START + 100);
        assertThat(file.getInt(LENGTH_OFFSET)).isEqualTo(88);
        assertThat(counters.get(Counter.BATCHES_COMMITTED_IN_PLACE)).isEqualTo(1);
    }

    @Test
    void shouldMoveABatchBehindARefusedOneAndLeaveZerosBehindIt() {
        LandingWindow window = landing.take(START, 100);
        fill(START, 100, (byte) 1);
        landing.take(START + 100, 80);
        fill(START + 100, 80, (byte) 2);
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
        assertThat(counters.get(Counter.BATCHES_MOVED)).isEqualTo(1);
        assertThat(revoked).isEqualTo(1);
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
        assertThat(landing.take(START + 1, 100)).as("a gap").isNull();
        assertThat(landing.take(START, 100)).isNotNull();
        assertThat(landing.take(START, 100)).as("twice").isNull();
        assertThat(landing.take(START + 100, 5000)).as("beyond the window").isNull();
        assertThat(landing.take(START + 100, 12)).as("no batch").isNull();
    }

    /** Retention looks at each log again and again; with a pause that doubles each time nothing would be placed after some hours. */
    @Test
    void shouldPauseForOtherWritersOnly() {
        table.add(landing);

        assertThat(table.mayRoll(segment)).isFalse();

        assertThat(revoked).isEqualTo(1);
        assertThat(pauseNs()).isZero();
        Landing next = new Landing(table, new Log(), segment, new Link(), 7, System.nanoTime() - 2 * Landing.ALONE_NS);
        next.extend(new LandingWindow(new Region(), START));
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
        leader = false;
        assertThatThrownBy(() -> table.append(segment, batch)).isInstanceOf(ArithmeticException.class);

        assertThat(segment.sizeBytes).isEqualTo(START);
        assertThat(counters.get(Counter.LANDING_CONFLICTS)).isEqualTo(2);
    }

    private long pauseNs() {
        return table.contention().leftNs(landing.log().topic(), landing.log().partition());
    }

    private ByteBuffer placed(int position, int lengthBytes) {
        fill(position, lengthBytes, (byte) 1);
        LandingWindow window = landing.take(position, lengthBytes);
        return landing.handle(window, position, lengthBytes);
    }

    /** As a proxy writes it: without offset and length. */
    private void fill(int position, int lengthBytes, byte value) {
        for (int i = LandedLengths.OVERHEAD_BYTES; i < lengthBytes; i++) {
            file.put(position - START + i, value);
        }
    }

    private static final class Segment implements LandableLog.ActiveSegment {
        private int sizeBytes = START;

        @Override
        public Object identity() {
            return this;
        }

        @Override
        public Path path() {
            return Path.of("/nowhere");
        }

        @Override
        public int sizeBytes() {
            return sizeBytes;
        }

        @Override
        public int limitBytes(int windowBytes) {
            return START + 4096;
        }

        @Override
        public void commit(int lengthBytes) {
            sizeBytes += lengthBytes;
        }

        @Override
        public void trim() {}
    }

    private final class Log implements LandableLog {
        @Override
        public Uuid topicId() {
            return Uuid.ZERO_UUID;
        }

        @Override
        public String topic() {
            return "t";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public Object identity() {
            return this;
        }

        @Override
        public Object partitionIdentity() {
            return this;
        }

        @Override
        public Object monitor() {
            return this;
        }

        @Override
        public String refusal() {
            return null;
        }

        @Override
        public ActiveSegment activeSegment() {
            return segment;
        }

        @Override
        public boolean isLeader() {
            return leader;
        }

        @Override
        public void roll() {}
    }

    private final class Link implements LandingLink {
        @Override
        public int linkId() {
            return 1;
        }

        @Override
        public void ringLandingDoorbell(int landingId) {
            revoked++;
        }

        @Override
        public void abandon(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public Thread ownerThread() {
            return Thread.currentThread();
        }

        @Override
        public LinkLandings landings() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Logs implements LandableLogs {
        @Override
        public Outcome resolve(Object requestContext, ControlRequest.PrepareLanding request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ByteBuffer bytesOf(Object records) {
            return (ByteBuffer) records;
        }

        @Override
        public RuntimeException notLeader(String message) {
            return new IllegalStateException(message);
        }

        @Override
        public RuntimeException passing(String message) {
            return new ArithmeticException(message);
        }
    }

    private final class Region implements MemoryRegion {
        @Override
        public long address() {
            return BufferUtil.address(file);
        }

        @Override
        public long lengthBytes() {
            return file.capacity();
        }

        @Override
        public int lkey() {
            return 1;
        }

        @Override
        public int rkey() {
            return 1;
        }

        @Override
        public Set<Access> access() {
            return EnumSet.of(Access.REMOTE_WRITE);
        }

        @Override
        public ByteBuffer buffer() {
            return file.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public boolean isRegistered() {
            return true;
        }

        @Override
        public boolean deregister(long timeoutNs) {
            return true;
        }

        @Override
        public void close() {}
    }
}
