// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.FaultClass;

/**
 * The outcome of one fault in one arm.
 *
 * @param number number of the fault in the schedule, from 0
 * @param note reason why it was not executed; empty if it was
 * @param single whether no other fault overlapped
 * @param okOperations successful client operations from its start until clients had settled
 * @param unavailableNs the longest time without a successful operation
 */
record FaultOutcome(
        int number,
        FaultClass faultClass,
        String target,
        State state,
        String note,
        boolean single,
        long okOperations,
        long unavailableNs) {
    enum State {
        CARRIED_OUT,
        /** The arm has no such process, or the machine lacks the means. */
        SKIPPED,
        /** The injection failed, usually because of a concurrent fault. */
        FAILED
    }

    boolean isCarriedOut() {
        return state == State.CARRIED_OUT;
    }
}
