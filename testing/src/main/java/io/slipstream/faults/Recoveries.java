// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.util.ArrayList;
import java.util.List;

/**
 * Recovery times of clients after the return of a killed proxy and after a proxy lost its queue pairs. Safe for
 * concurrent use.
 */
final class Recoveries {
    private boolean measuring;
    private final List<Acknowledgements> probes = new ArrayList<>();
    private final List<Long> afterReturnNs = new ArrayList<>();
    private final List<Long> afterLossNs = new ArrayList<>();

    /** Acknowledgements reported by the probe of one proxy. */
    final class Acknowledgements {
        private static final long NONE = Long.MIN_VALUE;
        private long returnedNs = NONE;
        private long lostNs = NONE;

        void acknowledged(long invokedNs, long atNs) {
            synchronized (Recoveries.this) {
                if (returnedNs != NONE) {
                    afterReturnNs.add(atNs - returnedNs);
                    returnedNs = NONE;
                }
                // The proxy may have answered requests in flight before it noticed the loss, so only later requests
                // count.
                if (lostNs != NONE && invokedNs - lostNs >= 0) {
                    afterLossNs.add(atNs - lostNs);
                    lostNs = NONE;
                }
            }
        }

        private void forget() {
            returnedNs = NONE;
            lostNs = NONE;
        }
    }

    /** Returns the receiver for the probe of the next proxy. */
    synchronized Acknowledgements probe() {
        Acknowledgements next = new Acknowledgements();
        probes.add(next);
        return next;
    }

    /** Reports that the killed proxy serves again now. */
    synchronized void proxyReturned(int proxy) {
        if (measuring) {
            probes.get(proxy).returnedNs = System.nanoTime();
        }
    }

    /** Reports that the proxy is about to lose its queue pairs and can notice at once. */
    synchronized void linkLost(int proxy) {
        if (measuring && probes.get(proxy).lostNs == Acknowledgements.NONE) {
            probes.get(proxy).lostNs = System.nanoTime();
        }
    }

    /** Starts an episode. With overlapping faults, a late answer cannot be attributed to one of them. */
    synchronized void begin(boolean single) {
        measuring = single;
        probes.forEach(Acknowledgements::forget);
    }

    /** Returns the times from a killed proxy's readiness to the next acknowledgement through it. */
    synchronized List<Long> afterReturnNs() {
        return List.copyOf(afterReturnNs);
    }

    /** Returns the times from the cut to the acknowledgement of the first record sent after it. */
    synchronized List<Long> afterLossNs() {
        return List.copyOf(afterLossNs);
    }
}
