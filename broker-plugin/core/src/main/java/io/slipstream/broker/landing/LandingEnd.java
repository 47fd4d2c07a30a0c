package io.slipstream.broker.landing;

import io.slipstream.broker.fetch.LogEvents;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes out of a segment's file what was placed behind the log's end, when nobody reads it there any more. Landing thread. */
final class LandingEnd {
    private static final Logger logger = LoggerFactory.getLogger(LandingEnd.class);

    private LandingEnd() {}

    /**
     * Cuts the file to the log's bytes. A writer that could not be fenced, which is one on this host that stopped in the middle of a write, may go on
     * with it at any time: the log goes on in another file then.
     *
     * @param pinsFiles whether consumers' windows hold the pages that are cut off, and would not see what is appended in their place
     */
    static void cut(LandableLog log, LandableLog.ActiveSegment segment, boolean fenced, boolean pinsFiles) {
        try {
            forgetReaders(log, pinsFiles);
            synchronized (log.monitor()) {
                segment.trim();
                if (!fenced) {
                    logger.warn(
                            "{}-{} continues in a new segment: its last writer stopped in the middle of a write",
                            log.topic(),
                            log.partition());
                    log.roll();
                }
            }
        } catch (IOException | RuntimeException e) {
            CutFiles.add(segment.identity());
            logger.warn(
                    "{}-{}: what was placed behind the log's end could not be cut off",
                    log.topic(),
                    log.partition(),
                    e);
        }
        forgetReaders(log, pinsFiles);
    }

    private static void forgetReaders(LandableLog log, boolean pinsFiles) {
        if (pinsFiles) {
            LogEvents.logRevoked(log.identity(), "what was placed behind its end is cut off");
        }
    }
}
