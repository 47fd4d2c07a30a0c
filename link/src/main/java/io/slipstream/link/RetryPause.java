// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.settings.LinkSettings;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The pauses between failed attempts. Their bound doubles; each is drawn between half of the bound and the bound, so
 * that proxies that failed together do not try again together. Not thread-safe.
 */
final class RetryPause {
    private final LinkSettings settings;
    private long boundNs;

    RetryPause(LinkSettings settings) {
        this.settings = settings;
    }

    long nextNs() {
        boundNs = Math.min(settings.retryMaxNs(), Math.max(settings.retryMinNs(), 2 * boundNs));
        return ThreadLocalRandom.current().nextLong(boundNs / 2, boundNs + 1);
    }

    /** The next pause is a shortest one again. */
    void reset() {
        boundNs = 0;
    }
}
