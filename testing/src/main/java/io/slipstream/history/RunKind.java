// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The kind of run that a history records. It decides which invariants must have facts. */
public enum RunKind {
    /** Clients without faults, on one broker. */
    WORKLOAD,
    /** Process faults on one broker. */
    FAULTS,
    /** Process faults on several brokers, which replicate. */
    REPLICATED_FAULTS,
    /** Kills, some of them of a loaded broker whose recovered log is recorded. */
    CRASH,
    /** Kills of proxies, or of brokers that had acknowledged nothing yet. */
    CRASH_WITHOUT_RECOVERY,
    /** Kills under clients that copy exactly once; recovered logs are not recorded. */
    KILLS,
    /** Clients in several languages on a cluster in containers; the log is read by a client. */
    CONTAINERS,
    /** Events from no system, for tests of the checker. It claims nothing. */
    SYNTHETIC
}
