// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.protocol.control.ControlApi;
import java.util.concurrent.TimeUnit;

/**
 * How often one control connection may ask for what costs the broker something. Far more than a proxy has reason to, so
 * constants and no settings; a proxy that is refused uses TCP for what it asked about. What gives back is never
 * refused. Control thread.
 */
final class RequestRates {
    /** One for each event loop of a proxy, again after each of its failures; each is some megabytes of memory. */
    static final int LINKS = 64;
    /**
     * A quarter of the nonces that may wait for their connection; with what comes in their life time less than half.
     */
    static final int NONCES = 4096;
    /** Half of what may wait for the thread that answers. */
    static final int QUESTIONS = 8192;

    private final Bucket links;
    private final Bucket nonces;
    private final Bucket questions;

    RequestRates(long nowNs) {
        links = new Bucket(LINKS, 8, nowNs);
        nonces = new Bucket(NONCES, 400, nowNs);
        questions = new Bucket(QUESTIONS, 10_000, nowNs);
    }

    /** Whether one more request may be answered. */
    boolean allows(ControlApi api, long nowNs) {
        return switch (api) {
            case OPEN_LINK -> links.take(nowNs);
            case BEGIN_SESSION -> nonces.take(nowNs);
            case LOCATE, LIST_ABORTED, REPORT_READS -> questions.take(nowNs);
            default -> true;
        };
    }

    /** Tokens that come back evenly, up to a number. */
    private static final class Bucket {
        private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

        private final int size;
        private final double perNs;
        private double tokens;
        private long filledAtNs;

        Bucket(int size, int perSecond, long nowNs) {
            this.size = size;
            this.perNs = perSecond / SECOND_NS;
            this.tokens = size;
            this.filledAtNs = nowNs;
        }

        boolean take(long nowNs) {
            tokens = Math.min(size, tokens + (nowNs - filledAtNs) * perNs);
            filledAtNs = nowNs;
            if (tokens < 1) {
                return false;
            }
            tokens--;
            return true;
        }
    }
}
