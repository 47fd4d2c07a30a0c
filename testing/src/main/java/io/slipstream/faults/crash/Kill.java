// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

/**
 * One kill of a schedule.
 *
 * @param number from 1
 * @param proxy which one, if a proxy is struck
 * @param warm whether it waits until clients work again by the way they should; else it may strike in the middle of their recovery
 * @param delayMs of load before it
 * @param atPeak whether it then waits, for a few hundred milliseconds at the most, for an instant of high rate
 * @param gapMs between the two deaths, if both die
 * @param downMs until the dead start again
 */
public record Kill(
        int number, Victim victim, int proxy, boolean warm, int delayMs, boolean atPeak, int gapMs, int downMs) {
    @Override
    public String toString() {
        String who = victim == Victim.BROKER ? victim.label() : victim.label() + " (proxy " + (proxy + 1) + ")";
        return who + (warm ? " after " : " cold after ") + delayMs + " ms" + (atPeak ? " at a peak" : "");
    }
}
