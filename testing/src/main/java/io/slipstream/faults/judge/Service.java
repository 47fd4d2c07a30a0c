// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import java.util.List;
import java.util.Map;

/**
 * What the clients of one run got.
 *
 * @param windows the faults, in the order of their beginnings
 * @param errors sessions of clients that saw an error, by its moment and name
 * @param fencible clients whose sessions a broker can end: idempotent and transactional ones
 * @param operations successful operations of the whole run
 * @param silencesNs the longest time of each client without a success, in the whole run
 * @param waitsNs the longest {@link ClientService#waitNs} of each reader, in the whole run
 */
public record Service(
        List<Window> windows,
        Map<Seen, Integer> errors,
        int fencible,
        long operations,
        Map<String, Long> silencesNs,
        Map<String, Long> waitsNs) {
    /** The moment before the first fault, or long after one. */
    public static final int QUIET = -1;

    /**
     * An error at its moment.
     *
     * @param fault the fault during or after which it was seen; {@link #QUIET} without one
     */
    public record Seen(int fault, String error) {}

    /**
     * One fault, from its injection until it was healed. The recovery lasts until the next fault that begins while
     * no earlier one lasts.
     */
    public record Window(
            int fault, String faultClass, String target, long durationNs, Map<String, ClientService> clients) {
        long operations() {
            return clients.values().stream()
                    .mapToLong(ClientService::operations)
                    .sum();
        }

        String name() {
            return "fault " + fault + ", " + faultClass + " of " + target;
        }
    }

    /**
     * What a client got that worked before the fault.
     *
     * @param operations acknowledged or delivered records during the fault
     * @param silenceNs the longest time of the fault without one
     * @param recoveryNs from the end of the fault to the next one
     * @param recovered false if there was none until the next fault or the end
     * @param waitNs the longest time for which a reader was given nothing of a partition although there was something
     * that it might read; 0 for others
     */
    public record ClientService(
            ClientKind kind, long operations, long silenceNs, long recoveryNs, boolean recovered, long waitNs) {}
}
