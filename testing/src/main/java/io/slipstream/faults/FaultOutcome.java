// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.FaultClass;

/**
 * What came of one fault in one arm.
 *
 * @param number of the fault in the schedule, from 0
 * @param note why it was not carried out; empty if it was
 * @param single whether no other overlapped with it
 * @param okOperations operations of clients that succeeded from its begin until clients had settled
 * @param unavailableNs the longest time therein without any
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
        /** The arm has no such process, or the machine no such means. */
        SKIPPED,
        /** The means failed, mostly because of another fault at the time. */
        FAILED
    }

    boolean isCarriedOut() {
        return state == State.CARRIED_OUT;
    }
}
