// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.history.RunKind.CRASH;
import static io.slipstream.history.RunKind.CRASH_WITHOUT_RECOVERY;
import static io.slipstream.history.RunKind.FAULTS;
import static io.slipstream.history.RunKind.KILLS;
import static io.slipstream.history.RunKind.REPLICATED_FAULTS;
import static io.slipstream.history.RunKind.SYNTHETIC;
import static io.slipstream.history.RunKind.WORKLOAD;

import io.slipstream.history.RunKind;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The invariants of histories, each with the kinds of runs that claim it. A run fails without facts about an invariant
 * that it claims. The numbers of deleted invariants are not used again.
 */
public enum Invariant {
    I1("no loss: every acknowledged record is in every in-sync replica and in a read from zero", everywhere()),
    I2("no invention: every record read was sent, and its send did not fail", everywhere()),
    I3("one value for each offset, one offset for each value", everywhere()),
    I4("right place: a record is in the partition that it names, and unchanged", everywhere()),
    I5("send order: offsets follow the producer's order and real time", everywhere()),
    I6("poll order: no gap and no step back", everywhere()),
    I7("nothing unseen: after the last fault every acknowledged record is read", everywhere()),
    I8("watermarks: nothing is read above one that is told later, and they do not go back", onProcesses()),
    I9("no byte of another epoch: a record read stays in the log, under its epoch", onProcesses()),
    I10("logs are valid and without gaps", onProcesses()),
    I11("responses: one for each request, in order, with an error that Kafka defines for it", onProcesses()),
    I12(
            "group offsets decrease only by a commit, and everything below them was delivered",
            EnumSet.of(WORKLOAD, FAULTS, REPLICATED_FAULTS, KILLS)),
    I13("transactions are atomic", onProcesses()),
    I14("read_committed sees only committed data", onProcesses()),
    I15("fencing: no append of an earlier epoch, no gap in a producer's sequence", onProcesses()),
    I16("transactional copies are exact", EnumSet.of(WORKLOAD, FAULTS, REPLICATED_FAULTS, KILLS)),
    I18(
            "recovery: a recovered log has every acknowledged record, none sent later and no torn batch",
            EnumSet.of(CRASH)),
    I21("no residue: resources return to their baseline", EnumSet.of(FAULTS, REPLICATED_FAULTS)),
    I23("replicas are equal", EnumSet.of(REPLICATED_FAULTS)),
    I24("log start: no record is read that was deleted before", EnumSet.of(FAULTS, REPLICATED_FAULTS));

    private final String title;
    private final Set<RunKind> claimedIn;

    Invariant(String title, EnumSet<RunKind> claimedIn) {
        this.title = title;
        this.claimedIn = claimedIn;
    }

    private static EnumSet<RunKind> everywhere() {
        return EnumSet.complementOf(EnumSet.of(SYNTHETIC));
    }

    private static EnumSet<RunKind> onProcesses() {
        return EnumSet.of(WORKLOAD, FAULTS, REPLICATED_FAULTS, CRASH, CRASH_WITHOUT_RECOVERY, KILLS);
    }

    public String title() {
        return title;
    }

    /** Returns the kinds of runs in the words of docs/reliability.md. */
    String claims() {
        if (claimedIn.equals(everywhere())) {
            return "all";
        }
        if (claimedIn.equals(onProcesses())) {
            return "all but containers";
        }
        return claimedIn.stream()
                .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .collect(Collectors.joining(", "));
    }

    /** Returns whether a run of this kind must have facts about the invariant. */
    public boolean isClaimedIn(RunKind kind) {
        return claimedIn.contains(kind);
    }
}
