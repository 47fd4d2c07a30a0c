// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/**
 * A process: a broker or a proxy, from its start to its end.
 *
 * <pre>
 *   RUNNING ◀──continued── STOPPED        any ──kill──▶ DEAD
 *      └──────SIGSTOP────────▲
 * </pre>
 */
public final class Host {
    private final String name;
    private boolean alive = true;
    private long stoppedFromNs;
    private long stoppedUntilNs;

    public Host(String name) {
        this.name = name;
    }

    public boolean isAlive() {
        return alive;
    }

    /** Kills the process and drops its pending events. */
    public void kill() {
        alive = false;
    }

    public boolean isStoppedAt(long timeNs) {
        return stoppedUntilNs > timeNs;
    }

    long stoppedUntilNs() {
        return stoppedUntilNs;
    }

    void stopFrom(long timeNs, long untilNs) {
        if (stoppedUntilNs <= timeNs) {
            stoppedFromNs = timeNs;
        }
        stoppedUntilNs = Math.max(stoppedUntilNs, untilNs);
    }

    /** Returns how long the process has been stopped; 0 if it runs. */
    public long stoppedForNs(long timeNs) {
        return stoppedUntilNs > timeNs ? timeNs - stoppedFromNs : 0;
    }

    @Override
    public String toString() {
        return name;
    }
}
