// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.TransactionIndex;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * The private fields that an exact read of a {@link UnifiedLog} needs. They are resolved once, before the first grant:
 *
 * <ul>
 * <li>the log's lock;
 * <li>the high watermark with its byte position, because the public snapshot allocates and may move the watermark's
 *     metadata;
 * <li>the last entry of a transaction index, because reading the index takes a system call under the log's lock.
 * </ul>
 */
record LogFields(VarHandle lock, VarHandle highWatermark, VarHandle lastAborted) {
    /**
     * Resolves the fields. Throws IllegalStateException, which names the field, if this broker's class has no field of
     * that name and type.
     */
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
            throw new IllegalStateException(
                    "This adapter does not support the broker's logs: " + failure.getMessage(), failure);
        }
    }

    Object lock(UnifiedLog log) {
        return lock.get(log);
    }

    /**
     * Returns the offset of the last abort marker since the index was opened; -1 if there is none. The caller holds the
     * log's lock.
     */
    long lastAbortedOffset(TransactionIndex index) {
        return ((OptionalLong) lastAborted.get(index)).orElse(-1);
    }

    LogOffsetMetadata highWatermark(UnifiedLog log) {
        return (LogOffsetMetadata) highWatermark.getVolatile(log);
    }
}
