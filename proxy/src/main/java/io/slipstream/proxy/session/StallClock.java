// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

/** Measures for how long a client has taken nothing while bytes wait for it. Confined to the event loop. */
final class StallClock {
    private long lastWaitingBytes;
    private long lastTakenBytes;
    private long sinceNs;

    /**
     * @param waitingBytes of all answers that are not completely taken
     * @param takenBytes of the first of them
     */
    boolean isStalled(long waitingBytes, long takenBytes, long nowNs, long timeoutNs) {
        if (waitingBytes == 0 || waitingBytes != lastWaitingBytes || takenBytes != lastTakenBytes) {
            lastWaitingBytes = waitingBytes;
            lastTakenBytes = takenBytes;
            sinceNs = nowNs;
        }
        return nowNs - sinceNs > timeoutNs;
    }
}
