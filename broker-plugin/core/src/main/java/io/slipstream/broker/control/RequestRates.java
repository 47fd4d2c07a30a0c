// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.protocol.control.ControlApi;
import java.util.concurrent.TimeUnit;

/**
 * Rates of one control connection for requests that cost the broker memory or time. The limits are far above a proxy's
 * needs, so they are constants. A refused proxy uses TCP for the affected requests. Requests that release resources are
 * never refused. Control thread.
 */
final class RequestRates {
    /**
     * Burst of OpenLink requests. A proxy opens one link per event loop, again after each failure. A link takes some
     * megabytes of memory.
     */
    static final int LINKS = 64;
    /**
     * Burst of BeginSession requests: a quarter of the nonces that may be outstanding. With the requests of one nonce
     * life time it stays below half.
     */
    static final int NONCES = 4096;
    /** Burst of questions: half of the queue of the answering thread. */
    static final int QUESTIONS = 8192;

    private final Bucket links;
    private final Bucket nonces;
    private final Bucket questions;

    RequestRates(long nowNs) {
        links = new Bucket(LINKS, 8, nowNs);
        nonces = new Bucket(NONCES, 400, nowNs);
        questions = new Bucket(QUESTIONS, 10_000, nowNs);
    }

    /** Takes a token for the request. Returns false if there is none. */
    boolean allows(ControlApi api, long nowNs) {
        return switch (api) {
            case OPEN_LINK -> links.take(nowNs);
            case BEGIN_SESSION -> nonces.take(nowNs);
            case LOCATE, LIST_ABORTED, REPORT_READS -> questions.take(nowNs);
            default -> true;
        };
    }

    /** A token bucket: refilled at a constant rate up to its size. */
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
