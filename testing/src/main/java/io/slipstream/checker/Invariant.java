// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/** The invariants that every history must satisfy. */
public enum Invariant {
    I1("no loss: what was acknowledged is in every in-sync replica and in a read from zero"),
    I2("no invention: what is read was sent, and its send did not fail"),
    I3("one value for each offset, one offset for each value"),
    I4("right place: a record is where it says to be, and unchanged"),
    I5("send order: offsets follow the producer's order and real time"),
    I6("poll order: no skip and no step back"),
    I7("nothing unseen: after the last fault everything acknowledged is read"),
    I8("watermarks: nothing is read above them or below the log's start, and they do not go back"),
    I9("no byte of another epoch: what was read stays in the log, under its epoch"),
    I10("replicas are equal, valid and without holes"),
    I11("responses: one for each request, in order, with an error that Kafka knows there"),
    I12("group offsets go back only by a commit, and nothing below them was undelivered"),
    I13("transactions are atomic"),
    I14("read_committed sees committed data only"),
    I15("fencing: no append of an earlier epoch, no gap in a producer's sequence"),
    I16("copies by transactions are exact"),
    I17("RDMA shows no anomaly that a direct run does not show"),
    I18("landed is not committed: recovery keeps what was acknowledged and nothing that was refused"),
    I19("leases: one writable grant for a byte, and no change after a fence"),
    I20("slots: an accepted snapshot is one that was published, and never an older one"),
    I21("no residue: resources return to their baseline"),
    I22("availability: what a direct run serves during a fault is served");

    private final String title;

    Invariant(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
