package io.slipstream.broker.landing;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Segments of this broker to which nothing more may be appended, because somebody may still be writing in them: those that recovery had to cut, since a proxy on this host that was stopped in the
 * middle of a write when the broker died goes on with it whenever it continues. Their logs roll as soon as they are loaded: a start later nothing tells any more that they were cut. Any thread.
 */
final class CutFiles {
    private static final Logger logger = LoggerFactory.getLogger(CutFiles.class);

    /** Null while there is none. */
    private static volatile Set<Object> files;

    private CutFiles() {}

    /** @param file the broker's object of it */
    static void add(Object file) {
        synchronized (CutFiles.class) {
            if (files == null) {
                files = ConcurrentHashMap.newKeySet();
            }
        }
        files.add(file);
    }

    static boolean holds(Object file) {
        Set<Object> now = files;
        return now != null && now.contains(file);
    }

    /** The log has left it. */
    static void remove(Object file) {
        Set<Object> now = files;
        if (now != null) {
            now.remove(file);
        }
    }

    /**
     * A log was loaded, and nobody else has it yet. By names of public methods, which all supported brokers have, because there is no adapter before the broker has
     * loaded its logs; were one not there, the log would roll with its first append.
     */
    static void loaded(Object log) {
        if (files == null || files.isEmpty()) {
            return;
        }
        try {
            Object segment = log.getClass().getMethod("activeSegment").invoke(log);
            Object file = segment.getClass().getMethod("log").invoke(segment);
            if (holds(file)) {
                log.getClass().getMethod("roll").invoke(log);
                remove(file);
            }
        } catch (ReflectiveOperationException e) {
            logger.warn("{} continues in a new segment only when it is appended to", log, e);
        }
    }
}
