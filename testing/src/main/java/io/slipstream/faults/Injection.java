// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** The execution of a fault, from injection to healing. A failure of either throws {@link FaultFailure}. */
@FunctionalInterface
interface Injection {
    void run(Hold hold);
}
