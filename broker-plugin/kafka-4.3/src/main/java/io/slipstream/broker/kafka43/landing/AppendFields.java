package io.slipstream.broker.kafka43.landing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** The private fields that appending in place needs: the log's lock, and how much of a file is the log's. Resolved once. */
final class AppendFields {
    private final VarHandle lock;
    private final VarHandle size;

    private AppendFields(VarHandle lock, VarHandle size) {
        this.lock = lock;
        this.size = size;
    }

    /** Throws IllegalStateException naming the field if this broker's classes have none of that name and type. */
    static AppendFields resolve() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            return new AppendFields(
                    MethodHandles.privateLookupIn(UnifiedLog.class, lookup)
                            .findVarHandle(UnifiedLog.class, "lock", Object.class),
                    MethodHandles.privateLookupIn(FileRecords.class, lookup)
                            .findVarHandle(FileRecords.class, "size", AtomicInteger.class));
        } catch (NoSuchFieldException | IllegalAccessException failure) {
            throw new IllegalStateException(
                    "UnifiedLog or FileRecords is not as this adapter knows it: " + failure.getMessage(), failure);
        }
    }

    Object lock(UnifiedLog log) {
        return lock.get(log);
    }

    AtomicInteger size(FileRecords file) {
        return (AtomicInteger) size.get(file);
    }
}
