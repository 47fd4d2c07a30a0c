package io.slipstream.broker.kafka43.reads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * The two private fields of {@link UnifiedLog} that reading it exactly needs: its lock, and the high watermark with its byte position
 * (the public snapshot would allocate, and may itself move the watermark's metadata). Resolved once, before anything is granted.
 */
final class LogFields {
    private final VarHandle lock;
    private final VarHandle highWatermark;

    private LogFields(VarHandle lock, VarHandle highWatermark) {
        this.lock = lock;
        this.highWatermark = highWatermark;
    }

    /** Throws IllegalStateException naming the field if this broker's class has none of that name and type. */
    static LogFields resolve() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(UnifiedLog.class, MethodHandles.lookup());
            return new LogFields(
                    lookup.findVarHandle(UnifiedLog.class, "lock", Object.class),
                    lookup.findVarHandle(UnifiedLog.class, "highWatermarkMetadata", LogOffsetMetadata.class));
        } catch (NoSuchFieldException | IllegalAccessException failure) {
            throw new IllegalStateException(
                    "UnifiedLog is not as this adapter knows it: " + failure.getMessage(), failure);
        }
    }

    Object lock(UnifiedLog log) {
        return lock.get(log);
    }

    LogOffsetMetadata highWatermark(UnifiedLog log) {
        return (LogOffsetMetadata) highWatermark.getVolatile(log);
    }
}
