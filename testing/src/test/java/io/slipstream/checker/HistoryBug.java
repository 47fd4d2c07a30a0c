// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * A bug as its traces in a history: it changes a clean one.
 *
 * @param breaks the effect of the bug
 * @param kind the anomaly that must be found, possibly among others
 */
record HistoryBug(String name, String breaks, String kind, Planting planting) {
    /** Changes the recording. */
    interface Planting {
        void plant(Recording recording);
    }
}
