// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.ReadableSegment;
import java.nio.file.Path;
import org.apache.kafka.storage.internals.log.LogSegment;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** A segment as located. */
record KafkaSegment(UnifiedLog log, LogSegment segment, Path file) implements ReadableSegment {
    @Override
    public Object identity() {
        return segment;
    }

    @Override
    public long baseOffset() {
        return segment.baseOffset();
    }

    @Override
    public int sizeBytes() {
        return segment.size();
    }

    @Override
    public boolean isCurrent() {
        long base = segment.baseOffset();
        return log.logSegments(base, base + 1).stream().anyMatch(now -> now == segment)
                && segment.log().file().toPath().equals(file);
    }
}
