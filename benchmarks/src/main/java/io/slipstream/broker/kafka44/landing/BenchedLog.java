package io.slipstream.broker.kafka44.landing;

import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.landing.LandableLog;
import io.slipstream.broker.landing.LandableLogs;
import io.slipstream.broker.landing.LandingEvents;
import io.slipstream.protocol.control.ControlRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * A broker's own log with the landing hooks woven into it, but without the partition around it: for the benchmark, in this package because the adapter's
 * classes are nobody else's business. One thread appends.
 */
public final class BenchedLog implements LandableLog, LandableLogs {
    private static final String TOPIC = "benched";
    private static final Uuid TOPIC_ID = new Uuid(1, 2);
    private static final int EPOCH = 1;
    private static final int HOUR_MS = 3_600_000;

    private final KafkaScheduler scheduler = new KafkaScheduler(1);
    private final UnifiedLog log;
    private final LandableLog adapter;

    /** Weaves the hooks into this JVM, once. @param directory empty; the log's is made in it */
    public BenchedLog(Path directory) throws IOException {
        weave();
        scheduler.startup();
        log = UnifiedLog.create(
                directory.resolve(TOPIC + "-0").toFile(),
                new LogConfig(Map.of()),
                0,
                0,
                scheduler,
                new BrokerTopicStats(),
                Time.SYSTEM,
                HOUR_MS,
                new ProducerStateManagerConfig(HOUR_MS, false),
                HOUR_MS,
                new LogDirFailureChannel(1),
                true,
                Optional.of(TOPIC_ID));
        adapter = new KafkaLandableLog(null, log, AppendFields.resolve(), TOPIC_ID);
    }

    private static void weave() {
        ClassLoader loader = BenchedLog.class.getClassLoader();
        // What a partition would be told of happens to none here.
        HookInstaller hooks = new HookInstaller(LandingHooks.ALL.stream()
                .filter(hook -> !hook.className().startsWith("kafka.cluster"))
                .toList());
        hooks.install(ByteBuddyAgent.install(), loader);
        String mismatch = hooks.verify(loader);
        if (mismatch != null) {
            throw new IllegalStateException(mismatch);
        }
    }

    /**
     * Appends one batch of a client as the leader does, the partition's hooks included.
     *
     * @param batch direct, big-endian, with base offset 0; where it was placed in this log, or anywhere else
     */
    public void append(ByteBuffer batch) throws IOException {
        MemoryRecords records = MemoryRecords.readableRecords(batch);
        Object turn = LandingEvents.beforeAppend(this, records);
        log.appendAsLeader(records, EPOCH);
        LandingEvents.afterAppend(turn);
    }

    /** Bytes in the active segment. */
    public int sizeBytes() {
        return activeSegment().sizeBytes();
    }

    /** Begins anew with an empty segment. */
    public void empty() {
        log.truncateFullyAndStartAt(0, Optional.empty());
    }

    @Override
    public Uuid topicId() {
        return TOPIC_ID;
    }

    @Override
    public String topic() {
        return TOPIC;
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public Object identity() {
        return log;
    }

    @Override
    public Object partitionIdentity() {
        return this;
    }

    @Override
    public Object monitor() {
        return adapter.monitor();
    }

    @Override
    public String refusal() {
        return null;
    }

    @Override
    public ActiveSegment activeSegment() {
        return adapter.activeSegment();
    }

    @Override
    public boolean isLeader() {
        return true;
    }

    @Override
    public void roll() throws IOException {
        adapter.roll();
    }

    @Override
    public Outcome resolve(Object requestContext, ControlRequest.PrepareLanding request) {
        return new Outcome(this, null);
    }

    @Override
    public boolean mayStillWrite(Object requestContext, String topic) {
        return true;
    }

    @Override
    public ByteBuffer bytesOf(Object records) {
        return ((MemoryRecords) records).buffer();
    }

    @Override
    public RuntimeException notLeader(String message) {
        return new IllegalStateException(message);
    }

    @Override
    public RuntimeException passing(String message) {
        return new IllegalStateException(message);
    }

    public void close() throws InterruptedException {
        log.close();
        scheduler.shutdown();
    }
}
