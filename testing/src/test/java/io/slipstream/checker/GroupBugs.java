// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Outcome;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.List;

/** Bugs visible in groups and transactions. */
final class GroupBugs {
    private static final int MEMBER = 1;

    static final List<HistoryBug> ALL = List.of(
            new HistoryBug(
                    "lose-commit",
                    "the last commit of a group is forgotten",
                    "I12 lost-commit",
                    recording -> recording.change(
                            GroupOffsetFound.class,
                            found -> found.group().equals("group"),
                            found -> new GroupOffsetFound(found.group(), found.partition(), found.offset() - 1))),
            new HistoryBug(
                    "fetch-older-commit",
                    "a member is told an older offset after a rebalance",
                    "I12 nonmonotonic-commit",
                    recording -> {
                        int position = 1
                                + recording.find(
                                        OffsetsCommitted.class,
                                        commit -> commit.consumer() == MEMBER && commit.offsets()[0] > 0);
                        long atNs = ((OffsetsCommitted) recording.events.get(position - 1)).atNs() + 1;
                        recording.events.add(position, new Positioned(atNs + 1, MEMBER, 0, 0));
                        recording.events.add(position, new Assigned(atNs, MEMBER, new int[] {0}));
                    }),
            new HistoryBug(
                    "commit-undelivered",
                    "a group's offset passes records that no member got",
                    "I12 undelivered",
                    recording -> recording.remove(Polled.class, poll -> poll.consumer() == MEMBER)),
            new HistoryBug(
                    "half-a-commit",
                    "one partition of a transaction gets the abort marker",
                    "I13 torn-txn",
                    recording -> recording.changeAll(
                            BatchDumped.class,
                            batch -> batch.dump() == CleanHistory.COPY_DUMP && batch.type() == BatchType.COMMIT_MARKER,
                            batch -> marker(batch, BatchType.ABORT_MARKER))),
            new HistoryBug(
                    "commit-an-abort",
                    "an aborted transaction is committed in the log",
                    "I13 torn-txn",
                    recording -> recording.changeAll(
                            BatchDumped.class,
                            batch -> batch.type() == BatchType.ABORT_MARKER,
                            batch -> marker(batch, BatchType.COMMIT_MARKER))),
            new HistoryBug(
                    "drop-from-transaction",
                    "a read leaves out a part of a committed transaction",
                    "I13 torn-txn",
                    recording -> recording.changeAll(
                            Polled.class,
                            poll -> poll.partition() == CleanHistory.COPY,
                            poll -> poll.withRecords(Recording.without(
                                    poll.records(), value -> ValueId.sequence(value) == CleanHistory.COPIES - 1)))),
            new HistoryBug(
                    "drop-aborted-list",
                    "the list of aborted transactions is empty",
                    "I14 G1a",
                    recording -> readAs(recording, true, transaction(recording, false))),
            new HistoryBug(
                    "read-open-transaction",
                    "read_committed gets what is not committed yet",
                    "I14 precommitted-read",
                    recording -> {
                        TransactionEnded ended = transaction(recording, true);
                        recording.events.remove(ended);
                        recording.events.add(ended);
                        recording.changeAll(
                                TransactionEnded.class,
                                ended::equals,
                                event -> new TransactionEnded(
                                        Long.MAX_VALUE - 2,
                                        Long.MAX_VALUE - 1,
                                        event.producer(),
                                        event.transaction(),
                                        true,
                                        Outcome.OK,
                                        ""));
                    }),
            new HistoryBug(
                    "append-of-a-zombie",
                    "a fenced producer's batch is appended",
                    "I15 zombie-append",
                    recording -> recording.changeAll(
                            BatchDumped.class,
                            batch -> batch.producerId() >= 0 && batch.baseSequence() == 0 && batch.dump() < 2,
                            batch -> sequenced(batch, batch.producerEpoch() + 1, 0))),
            new HistoryBug(
                    "skip-a-sequence",
                    "a batch of a producer is left out",
                    "I15 sequence-gap",
                    recording -> recording.change(
                            BatchDumped.class,
                            batch -> batch.baseSequence() > 0,
                            batch -> sequenced(batch, batch.producerEpoch(), batch.baseSequence() + 1))),
            new HistoryBug(
                    "copy-twice",
                    "a copied record is copied again",
                    "I16 duplicate-copy",
                    recording -> source(recording, 7, 6)),
            new HistoryBug(
                    "copy-leaves-out",
                    "a record is not copied",
                    "I16 missing-copy",
                    recording -> source(recording, 7, -1)),
            new HistoryBug("copy-reorders", "copies are in another order", "I16 reordered-copy", recording -> {
                long seventh = copy(recording, 7).source();
                long eighth = copy(recording, 8).source();
                setSource(recording, 7, eighth);
                setSource(recording, 8, seventh);
            }));

    private GroupBugs() {}

    private static BatchDumped marker(BatchDumped batch, BatchType type) {
        return new BatchDumped(
                batch.dump(),
                batch.baseOffset(),
                batch.lastOffset(),
                batch.leaderEpoch(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                type,
                true,
                batch.hash(),
                batch.records());
    }

    private static BatchDumped sequenced(BatchDumped batch, int epoch, int sequence) {
        return new BatchDumped(
                batch.dump(),
                batch.baseOffset(),
                batch.lastOffset(),
                batch.leaderEpoch(),
                batch.producerId(),
                epoch,
                sequence,
                batch.type(),
                true,
                batch.hash(),
                batch.records());
    }

    private static TransactionEnded transaction(Recording recording, boolean committed) {
        return recording.get(TransactionEnded.class, ended -> ended.commit() == committed && ended.producer() == 2);
    }

    /** A new consumer receives the transaction's first record. */
    private static void readAs(Recording recording, boolean readCommitted, TransactionEnded ended) {
        SendInvoked send = recording.get(
                SendInvoked.class,
                one -> one.producer() == ended.producer() && one.transaction() == ended.transaction());
        long value = ValueId.of(send.producer(), send.sequence());
        BatchDumped batch =
                recording.get(BatchDumped.class, one -> one.dump() == 0 && indexOf(one.records(), value) >= 0);
        int consumer = CleanHistory.CONSUMERS;
        recording.events.add(new ConsumerDeclared(consumer, ConsumerKind.ASSIGNED, "", readCommitted));
        RecordRun one = new RecordRun.Builder(1)
                .add(batch.records().offset(indexOf(batch.records(), value)), value, 0, send.digest(), 0)
                .build();
        recording.events.add(new Polled(ended.atNs(), ended.atNs() + 1, consumer, 0, -1, -1, one));
    }

    private static int indexOf(RecordRun run, long value) {
        for (int i = 0; i < run.size(); i++) {
            if (run.value(i) == value) {
                return i;
            }
        }
        return -1;
    }

    private static SendInvoked copy(Recording recording, int number) {
        return recording.get(
                SendInvoked.class, send -> send.partition() == CleanHistory.COPY && send.sequence() == number);
    }

    /** Gives one copy the source of another; -1 for none. */
    private static void source(Recording recording, int number, int other) {
        setSource(
                recording,
                number,
                other < 0 ? ValueId.NONE : copy(recording, other).source());
    }

    private static void setSource(Recording recording, int number, long source) {
        recording.changeAll(
                SendInvoked.class,
                copy(recording, number)::equals,
                send -> new SendInvoked(
                        send.atNs(),
                        send.producer(),
                        send.sequence(),
                        send.partition(),
                        send.transaction(),
                        send.digest(),
                        source));
    }
}
