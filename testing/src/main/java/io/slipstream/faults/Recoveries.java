// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.util.ArrayList;
import java.util.List;

/** How soon a client was answered again: after a killed proxy's return, and after a proxy lost its queue pairs. Safe from any thread. */
final class Recoveries {
    private boolean measuring;
    private final List<Acknowledgements> probes = new ArrayList<>();
    private final List<Long> afterReturnNs = new ArrayList<>();
    private final List<Long> afterLossNs = new ArrayList<>();

    /** What the probe of one proxy tells. */
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
                // What was under way when the link was lost may have been answered before the loss was noticed.
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

    /** For the probe of the next proxy. */
    synchronized Acknowledgements probe() {
        Acknowledgements next = new Acknowledgements();
        probes.add(next);
        return next;
    }

    /** The killed proxy serves again, now. */
    synchronized void proxyReturned(int proxy) {
        if (measuring) {
            probes.get(proxy).returnedNs = System.nanoTime();
        }
    }

    /** The proxy's queue pairs are about to be lost, and it can know at once. */
    synchronized void linkLost(int proxy) {
        if (measuring && probes.get(proxy).lostNs == Acknowledgements.NONE) {
            probes.get(proxy).lostNs = System.nanoTime();
        }
    }

    /** An episode begins. Where faults overlap, a late answer says nothing of one of them. */
    synchronized void begin(boolean single) {
        measuring = single;
        probes.forEach(Acknowledgements::forget);
    }

    /** From the return of a killed proxy, which is when it said that it is ready, to the next acknowledgement through it. */
    synchronized List<Long> afterReturnNs() {
        return List.copyOf(afterReturnNs);
    }

    /** From the cut to the acknowledgement of the first record that was sent after it. */
    synchronized List<Long> afterLossNs() {
        return List.copyOf(afterLossNs);
    }
}
