// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * A bug as its traces would look in a history: it changes a clean one.
 *
 * @param breaks what a system with this bug does
 * @param kind the anomaly that must be found, others may be too
 */
record HistoryBug(String name, String breaks, String kind, Planting planting) {
    /** Changes the recording. */
    interface Planting {
        void plant(Recording recording);
    }
}
