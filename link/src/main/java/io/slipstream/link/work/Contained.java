// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps of an end that are all taken, whatever one of them throws. */
public final class Contained {
    private static final Logger log = LoggerFactory.getLogger(Contained.class);

    private Contained() {}

    /** Runs the step, and logs what it throws. Returns false if it threw. */
    public static boolean run(String name, Runnable step) {
        try {
            step.run();
            return true;
        } catch (Throwable e) {
            log.error("{} failed; all else goes on", name, e);
            return false;
        }
    }
}
