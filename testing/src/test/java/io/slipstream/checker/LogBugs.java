// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.Outcome;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.List;

/** Bugs visible in logs and in acknowledgements. */
final class LogBugs {
    private static final int READER = 0;

    static final List<HistoryBug> ALL = List.of(
            new HistoryBug(
                    "drop-acked-record",
                    "a follower misses a record that was acknowledged",
                    "I1 lost-write",
                    recording -> recording.change(
                            BatchDumped.class,
                            batch -> batch.dump() == 1 && batch.records().size() > 1,
                            batch -> batch.withRecords(Recording.without(
                                    batch.records(),
                                    value -> value == batch.records().value(1))))),
            new HistoryBug(
                    "answer-before-commit",
                    "an acknowledged record is in no log and in no read",
                    "I1 lost-write",
                    recording -> {
                        long value = ValueId.of(1, 5);
                        recording.changeAll(
                                BatchDumped.class,
                                batch -> true,
                                batch ->
                                        batch.withRecords(Recording.without(batch.records(), other -> other == value)));
                        recording.changeAll(
                                Polled.class,
                                poll -> true,
                                poll -> poll.withRecords(Recording.without(poll.records(), other -> other == value)));
                    }),
            new HistoryBug(
                    "drop-batch",
                    "a follower misses a whole batch",
                    "I10 hole-in-log",
                    recording -> recording.remove(
                            BatchDumped.class,
                            batch -> batch.dump() == 1 && batch.baseOffset() > 0 && batch.lastOffset() < 1_000)),
            new HistoryBug(
                    "invent-record",
                    "a record appears that nobody sent",
                    "I2 invented-record",
                    recording -> recording.removeAll(
                            SendInvoked.class, send -> send.producer() == 1 && send.sequence() == 7)),
            new HistoryBug(
                    "append-refused-send",
                    "a send fails for certain and is appended",
                    "I2 G1a",
                    recording -> recording.change(
                            SendCompleted.class,
                            send -> send.producer() == 1,
                            send -> new SendCompleted(
                                    send.atNs(),
                                    send.producer(),
                                    send.sequence(),
                                    Outcome.FAILED,
                                    -1,
                                    "InvalidRecordException"))),
            new HistoryBug(
                    "duplicate-append",
                    "a retry is appended a second time",
                    "I3 duplicate",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER && hasNeighbours(poll.records()),
                            poll -> poll.withRecords(Recording.rewrite(poll.records(), (run, i, to) -> {
                                boolean repeat = i > 0 && producer(run.value(i - 1)) == 1;
                                to.add(
                                        run.offset(i),
                                        run.value(repeat ? i - 1 : i),
                                        0,
                                        run.digest(repeat ? i - 1 : i),
                                        run.leaderEpoch(i));
                            })))),
            new HistoryBug(
                    "swap-replies", "two replies go to each other's requests", "I3 inconsistent-offsets", recording -> {
                        SendCompleted one = recording.get(SendCompleted.class, send -> send.producer() == 1);
                        SendCompleted other = recording.get(
                                SendCompleted.class, send -> send.producer() == 1 && send.sequence() != one.sequence());
                        recording.changeAll(SendCompleted.class, one::equals, send -> at(send, other.offset()));
                        recording.changeAll(SendCompleted.class, other::equals, send -> at(send, one.offset()));
                    }),
            new HistoryBug(
                    "base-offset-off-by-one",
                    "acknowledgements name the offset behind the record's",
                    "I3 inconsistent-offsets",
                    recording -> recording.changeAll(
                            SendCompleted.class, send -> send.producer() == 1, send -> at(send, send.offset() + 1))),
            new HistoryBug(
                    "overtake-in-flight", "a later request is appended first", "I5 nonmonotonic-send", recording -> {
                        SendCompleted early = recording.get(
                                SendCompleted.class, send -> send.producer() == 1 && send.sequence() < 100);
                        swapEverywhere(recording, early.offset());
                    }),
            new HistoryBug(
                    "copy-other-bytes",
                    "a replica has other bytes",
                    "I23 divergent-replicas",
                    recording -> recording.change(
                            BatchDumped.class,
                            batch -> batch.dump() == 1,
                            batch -> rehash(batch, true, batch.hash() ^ 1))),
            new HistoryBug(
                    "torn-batch-in-log",
                    "a batch was committed before it was whole",
                    "I10 invalid-batch",
                    recording -> recording.change(
                            BatchDumped.class,
                            batch -> batch.dump() == 0,
                            batch -> rehash(batch, false, batch.hash()))),
            new HistoryBug(
                    "zeros-in-log",
                    "preallocated zeros lie below the log's end",
                    "I10 hole-in-log",
                    recording -> recording.change(
                            LogDumped.class,
                            dump -> dump.dump() == 1,
                            dump -> new LogDumped(
                                    dump.dump(),
                                    dump.kind(),
                                    dump.partition(),
                                    dump.node(),
                                    true,
                                    0,
                                    dump.highWatermark(),
                                    dump.logEnd() + 5,
                                    dump.asOfNs()))));

    private LogBugs() {}

    private static int producer(long value) {
        return ValueId.producer(value);
    }

    /** Returns whether a record of producer 1 has a successor. */
    private static boolean hasNeighbours(RecordRun run) {
        for (int i = 1; i < run.size(); i++) {
            if (producer(run.value(i - 1)) == 1) {
                return true;
            }
        }
        return false;
    }

    private static SendCompleted at(SendCompleted send, long offset) {
        return new SendCompleted(send.atNs(), send.producer(), send.sequence(), send.outcome(), offset, send.error());
    }

    private static BatchDumped rehash(BatchDumped batch, boolean valid, long hash) {
        return new BatchDumped(
                batch.dump(),
                batch.baseOffset(),
                batch.lastOffset(),
                batch.leaderEpoch(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                batch.type(),
                valid,
                hash,
                batch.records());
    }

    /** Swaps the records at the offset and after it, consistently in all places. */
    private static void swapEverywhere(Recording recording, long offset) {
        SendCompleted one = recording.get(SendCompleted.class, send -> home(send) == 0 && send.offset() == offset);
        SendCompleted two = recording.get(
                SendCompleted.class,
                send -> send.producer() == one.producer() && send.sequence() == one.sequence() + 1);
        recording.changeAll(SendCompleted.class, one::equals, send -> at(send, two.offset()));
        recording.changeAll(SendCompleted.class, two::equals, send -> at(send, one.offset()));
        long first = ValueId.of(one.producer(), one.sequence());
        long second = ValueId.of(two.producer(), two.sequence());
        recording.changeAll(
                Polled.class,
                poll -> poll.partition() == 0,
                poll -> poll.withRecords(swapped(poll.records(), first, second)));
        recording.changeAll(
                BatchDumped.class,
                batch -> batch.dump() < 2,
                batch -> batch.withRecords(swapped(batch.records(), first, second)));
    }

    private static int home(SendCompleted send) {
        return send.producer() / 3;
    }

    private static RecordRun swapped(RecordRun records, long first, long second) {
        int firstDigest = digestOf(records, first);
        int secondDigest = digestOf(records, second);
        return Recording.rewrite(records, (run, i, to) -> {
            boolean isFirst = run.value(i) == first;
            boolean isSecond = run.value(i) == second;
            long value = isFirst ? second : isSecond ? first : run.value(i);
            int digest = isFirst ? secondDigest : isSecond ? firstDigest : run.digest(i);
            to.add(run.offset(i), value, run.described(i), digest, run.leaderEpoch(i));
        });
    }

    private static int digestOf(RecordRun records, long value) {
        for (int i = 0; i < records.size(); i++) {
            if (records.value(i) == value) {
                return records.digest(i);
            }
        }
        return 0;
    }
}
