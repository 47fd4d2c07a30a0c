package io.slipstream.broker.landing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which partitions were written by others while batches were placed in them, and how long that rules out to begin again: a second at first, twice as
 * long each time, up to five minutes; forgotten after ten minutes without. Thread-safe.
 */
final class Contention {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(5);
    private static final long MEMORY_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int MOST_PARTITIONS = 4096;

    private final LongSupplier clock;
    private final Map<Key, Pause> pauses = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Pause> eldest) {
            return size() > MOST_PARTITIONS;
        }
    };

    private record Key(String topic, int partition) {}

    private record Pause(long sinceNs, long lengthNs) {}

    Contention(LongSupplier clock) {
        this.clock = clock;
    }

    synchronized void observed(String topic, int partition) {
        long nowNs = clock.getAsLong();
        Key key = new Key(topic, partition);
        Pause before = pauses.get(key);
        boolean forgotten = before == null || nowNs - before.sinceNs - before.lengthNs > MEMORY_NS;
        pauses.put(key, new Pause(nowNs, forgotten ? FIRST_NS : Math.min(LONGEST_NS, 2 * before.lengthNs)));
    }

    /** How long to wait before batches may be placed there again; 0 if they may now. */
    synchronized long leftNs(String topic, int partition) {
        Pause pause = pauses.get(new Key(topic, partition));
        return pause == null ? 0 : Math.max(0, pause.sinceNs + pause.lengthNs - clock.getAsLong());
    }
}
