// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/** The invariants that every history must satisfy. */
public enum Invariant {
    I1("no loss: every acknowledged record is in every in-sync replica and in a read from zero"),
    I2("no invention: every record read was sent, and its send did not fail"),
    I3("one value for each offset, one offset for each value"),
    I4("right place: a record is in the partition that it names, and unchanged"),
    I5("send order: offsets follow the producer's order and real time"),
    I6("poll order: no gap and no step back"),
    I7("nothing unseen: after the last fault every acknowledged record is read"),
    I8("watermarks: nothing is read above them or below the log's start, and they do not go back"),
    I9("no byte of another epoch: a record read stays in the log, under its epoch"),
    I10("replicas are equal, valid and without gaps"),
    I11("responses: one for each request, in order, with an error that Kafka defines for it"),
    I12("group offsets decrease only by a commit, and everything below them was delivered"),
    I13("transactions are atomic"),
    I14("read_committed sees only committed data"),
    I15("fencing: no append of an earlier epoch, no gap in a producer's sequence"),
    I16("transactional copies are exact"),
    I17("RDMA shows no anomaly that a direct run does not show"),
    I18("recovery: a recovered log has every acknowledged record and no refused one"),
    I19("leases: one writable grant for a byte, and no change after a fence"),
    I20("slots: an accepted snapshot is one that was published, and never an older one"),
    I21("no residue: resources return to their baseline"),
    I22("availability: during a fault, at least the operations of a direct run succeed");

    private final String title;

    Invariant(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
