// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** A fault that is being carried out. Runs from its injection to its healing; throws {@link FaultFailure}. */
@FunctionalInterface
interface Injection {
    void run(Hold hold);
}
