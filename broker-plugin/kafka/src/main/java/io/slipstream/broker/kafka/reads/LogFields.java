// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.TransactionIndex;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * The private fields that an exact read of a {@link UnifiedLog} needs, resolved once, before anything is granted:
 *
 * <ul>
 *   <li>the log's lock;
 *   <li>the high watermark with its byte position, because the public snapshot allocates and may move the watermark's
 *       metadata;
 *   <li>the last entry of a transaction index, because to read the index is a system call under the log's lock.
 * </ul>
 */
record LogFields(VarHandle lock, VarHandle highWatermark, VarHandle lastAborted) {
    /** Throws IllegalStateException naming the field if this broker's class has none of that name and type. */
    static LogFields resolve() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(UnifiedLog.class, MethodHandles.lookup());
            MethodHandles.Lookup ofIndex =
                    MethodHandles.privateLookupIn(TransactionIndex.class, MethodHandles.lookup());
            return new LogFields(
                    lookup.findVarHandle(UnifiedLog.class, "lock", Object.class),
                    lookup.findVarHandle(UnifiedLog.class, "highWatermarkMetadata", LogOffsetMetadata.class),
                    ofIndex.findVarHandle(TransactionIndex.class, "lastOffset", OptionalLong.class));
        } catch (NoSuchFieldException | IllegalAccessException failure) {
            throw new IllegalStateException("A log is not as this adapter knows it: " + failure.getMessage(), failure);
        }
    }

    Object lock(UnifiedLog log) {
        return lock.get(log);
    }

    /**
     * Offset of the last abort marker since the index was opened, -1 if there is none. The caller holds the log's lock.
     */
    long lastAbortedOffset(TransactionIndex index) {
        return ((OptionalLong) lastAborted.get(index)).orElse(-1);
    }

    LogOffsetMetadata highWatermark(UnifiedLog log) {
        return (LogOffsetMetadata) highWatermark.getVolatile(log);
    }
}
