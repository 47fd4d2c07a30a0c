// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

/**
 * One kill of a schedule.
 *
 * @param number number, from 1
 * @param proxy index of the proxy, if one is killed
 * @param warm whether it first waits until clients work on the expected path; otherwise it may strike during recovery
 * @param delayMs load before the kill
 * @param atPeak whether it then waits up to a few hundred milliseconds for a peak rate
 * @param gapMs time between two deaths
 * @param downMs time until restart
 */
public record Kill(
        int number, Victim victim, int proxy, boolean warm, int delayMs, boolean atPeak, int gapMs, int downMs) {
    @Override
    public String toString() {
        String who = victim == Victim.BROKER ? victim.label() : victim.label() + " (proxy " + (proxy + 1) + ")";
        return who + (warm ? " after " : " cold after ") + delayMs + " ms" + (atPeak ? " at a peak" : "");
    }
}
