package io.slipstream.checker;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import java.util.HashMap;
import java.util.Map;

/** A dump of a replica's log. Of the reference replica of a partition the batches are kept, 24 bytes each; of the others only the header. */
final class ReplicaLog {
    final LogDumped header;
    /** Its bit in {@link SendColumns#replicas}; 0 if it is not a final dump of an in-sync replica. */
    final int bit;
    /** Values of each producer id that wait for their marker. */
    final Map<Long, LongList> undecided = new HashMap<>();

    private int size;
    private final LongColumn bases = new LongColumn(-1);
    private final LongColumn hashes = new LongColumn(0);
    private final IntColumn epochs = new IntColumn(-1);
    private final ByteColumn types = new ByteColumn((byte) 0);

    ReplicaLog(LogDumped header, int bit) {
        this.header = header;
        this.bit = bit;
    }

    boolean isReference() {
        return bit == 1;
    }

    void add(BatchDumped batch) {
        bases.set(size, batch.baseOffset());
        hashes.set(size, batch.hash());
        epochs.set(size, batch.leaderEpoch());
        types.set(size, (byte) batch.type().ordinal());
        size++;
    }

    int size() {
        return size;
    }

    long base(int batch) {
        return bases.get(batch);
    }

    long hash(int batch) {
        return hashes.get(batch);
    }

    int epoch(int batch) {
        return epochs.get(batch);
    }

    boolean isControl(int batch) {
        return types.get(batch) > BatchType.TRANSACTIONAL.ordinal();
    }

    /** The last batch that begins at or before the offset; -1 if none does. */
    int batchOf(long offset) {
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (bases.get(middle) <= offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }
}
