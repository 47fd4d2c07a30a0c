// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.Located;
import io.slipstream.broker.fetch.RefusedException;
import io.slipstream.protocol.control.ControlError;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** Finds the segment and byte position at which a read from an offset starts, with the broker's own indexes. */
final class BatchSearch {
    /** Attempts before the search gives up because the log rolled during each of them. */
    private static final int ATTEMPTS = 3;

    private BatchSearch() {}

    /** Locates the batch. {@code offset} lies between log start and log end. */
    static Located locate(KafkaLog readable, UnifiedLog log, long offset) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            List<LogSegment> segments = log.logSegments(offset, Long.MAX_VALUE);
            LogSegment active = log.activeSegment();
            for (LogSegment segment : segments) {
                FileRecords.LogOffsetPosition batch = segment.translateOffset(offset);
                if (batch != null) {
                    return located(readable, log, segment, batch.position, batch.size, active);
                }
                LogOffsetMetadata end = log.logEndOffsetMetadata();
                if (segment == active && end.messageOffset == offset && end.segmentBaseOffset == active.baseOffset()) {
                    return located(readable, log, segment, end.relativePositionInSegment, 0, active);
                }
                // The end of a sealed segment is the start of the next one.
            }
        }
        throw new RefusedException(
                ControlError.NOT_READABLE, "the log rolled while offset " + offset + " was searched");
    }

    private static Located located(
            KafkaLog readable, UnifiedLog log, LogSegment segment, int position, int batchBytes, LogSegment active) {
        int sealedBytes = segment == active ? -1 : segment.size();
        KafkaSegment found = new KafkaSegment(log, segment, segment.log().file().toPath());
        return new Located(readable, found, position, batchBytes, sealedBytes);
    }
}
