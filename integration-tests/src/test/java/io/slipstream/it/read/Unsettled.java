// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.TopicPartition;

/**
 * Observations of offsets without an acknowledgement yet, judged when all acknowledgements have arrived. Safe for
 * concurrent use.
 */
final class Unsettled {
    private final Findings findings;
    private final Queue<Delivered> delivered = new ConcurrentLinkedQueue<>();
    /** Markers are skipped repeatedly; the first time counts. */
    private final Map<Absence, LeftOut> leftOut = new ConcurrentHashMap<>();

    private record Delivered(WrittenLog log, long offset, long digest, String consumer) {}

    private record Absence(TopicPartition partition, long offset, boolean readCommitted) {}

    private record LeftOut(WrittenLog log, long polledNs, String consumer) {}

    Unsettled(Findings findings) {
        this.findings = findings;
    }

    void delivered(WrittenLog log, long offset, long digest, String consumer) {
        delivered.add(new Delivered(log, offset, digest, consumer));
    }

    void leftOut(WrittenLog log, long offset, boolean readCommitted, long polledNs, String consumer) {
        leftOut.putIfAbsent(new Absence(log.partition(), offset, readCommitted), new LeftOut(log, polledNs, consumer));
    }

    /** Ignores the log start. */
    static boolean mayBeLeftOut(
            WrittenLog log, long offset, WrittenRecord written, boolean readCommitted, long polledNs) {
        return written.isAborted() && (readCommitted || log.isCompacted())
                || log.isSuperseded(offset, written, polledNs);
    }

    /** Call after the last acknowledgement. */
    void settle() {
        for (Delivered each : delivered) {
            WrittenRecord written = each.log.at(each.offset);
            if (written == null || written.digest() != each.digest) {
                findings.add(
                        "%s: offset %d, where %s was written",
                        each.consumer, each.offset, written == null ? "no acknowledged record" : written);
            }
        }
        leftOut.forEach((absence, each) -> {
            WrittenRecord written = each.log.at(absence.offset);
            if (written != null
                    && !mayBeLeftOut(each.log, absence.offset, written, absence.readCommitted, each.polledNs)
                    && absence.offset >= each.log.askStart()) {
                findings.add("%s: continued without offset %d, %s", each.consumer, absence.offset, written);
            }
        });
    }
}
