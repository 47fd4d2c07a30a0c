// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.BatchType;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.RecordRun;
import io.slipstream.history.Recorder;
import io.slipstream.history.ValueId;

/** A consumer's progress through a {@link SyntheticLog}. */
final class SyntheticReader {
    private final int consumer;
    private final boolean readCommitted;
    private final SyntheticLog log;
    private int batch;
    private long position;

    SyntheticReader(int consumer, boolean readCommitted, SyntheticLog log) {
        this.consumer = consumer;
        this.readCommitted = readCommitted;
        this.log = log;
    }

    long position() {
        return position;
    }

    /**
     * Polls until nothing more is visible, with at most {@code mostRecords} or one batch per poll. Returns the time
     * afterwards.
     */
    long poll(Recorder recorder, long atNs, int mostRecords) {
        long now = atNs;
        int end = log.visible(readCommitted);
        while (batch < end) {
            RecordRun.Builder run = new RecordRun.Builder(mostRecords);
            long before = position;
            int size = 0;
            while (batch < end && (size == 0 || size + log.batches.get(batch).count() <= mostRecords)) {
                SyntheticBatch next = log.batches.get(batch++);
                boolean data = !next.type().isControl()
                        && (next.committed() || !readCommitted && next.type() == BatchType.TRANSACTIONAL);
                if (data) {
                    add(run, next, log.partition);
                    size += next.count();
                }
                position = next.lastOffset() + 1;
            }
            RecordRun records = run.build();
            if (records.size() > 0) {
                recorder.record(new Polled(now, now + 1, consumer, log.partition, before, position, records));
                now += 2;
            }
        }
        return now;
    }

    static void add(RecordRun.Builder run, SyntheticBatch batch, int partition) {
        for (int i = 0; i < batch.count(); i++) {
            long value = ValueId.of(batch.producer(), batch.firstSequence() + i);
            run.add(batch.baseOffset() + i, value, partition, SyntheticRun.digest(value), 0);
        }
    }
}
