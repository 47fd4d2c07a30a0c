package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.BrokerEvent.LogStartMoved;
import io.slipstream.history.BrokerEvent.WatermarksPublished;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.ResponseRead;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.Outcome;
import io.slipstream.history.RecordRun;
import io.slipstream.history.ValueId;
import java.util.List;

/** Bugs that show in logs, reads and responses. */
final class LogBugs {
    private static final int READER = 0;
    private static final int FINAL_READER = 2 * CleanHistory.PARTITIONS;

    static final List<HistoryBug> ALL = List.of(
            new HistoryBug(
                    "drop-acked-record",
                    "a follower misses a record that was acknowledged",
                    "I1 lost-write",
                    recording -> recording.change(
                            BatchDumped.class,
                            batch -> batch.dump() == 1 && batch.records().size() > 1,
                            batch -> with(
                                    batch,
                                    Recording.without(
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
                                batch -> with(batch, Recording.without(batch.records(), other -> other == value)));
                        recording.changeAll(
                                Polled.class,
                                poll -> true,
                                poll -> with(poll, Recording.without(poll.records(), other -> other == value)));
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
                            poll -> with(poll, Recording.rewrite(poll.records(), (run, i, to) -> {
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
                    "wrong-topic",
                    "a poll is answered from another partition",
                    "I4 misplaced-record",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER,
                            poll -> new Polled(poll.invokedNs(), poll.atNs(), 2, 1, -1, -1, poll.records()))),
            new HistoryBug(
                    "reuse-buffer-in-flight",
                    "bytes of another record are in the value",
                    "I4 corrupt-record",
                    recording -> describe(recording, RecordRun.CORRUPT)),
            new HistoryBug(
                    "wrong-cluster",
                    "a value of another cluster is delivered",
                    "I4 foreign-record",
                    recording -> describe(recording, RecordRun.FOREIGN)),
            new HistoryBug(
                    "alter-header",
                    "a record loses a header on its way",
                    "I4 altered-record",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER,
                            poll -> with(
                                    poll,
                                    Recording.rewrite(
                                            poll.records(),
                                            (run, i, to) -> to.add(
                                                    run.offset(i),
                                                    run.value(i),
                                                    run.described(i),
                                                    run.digest(i) ^ 1,
                                                    run.leaderEpoch(i)))))),
            new HistoryBug(
                    "overtake-in-flight", "a later request is appended first", "I5 nonmonotonic-send", recording -> {
                        SendCompleted early = recording.get(
                                SendCompleted.class, send -> send.producer() == 1 && send.sequence() < 100);
                        swapEverywhere(recording, early.offset());
                    }),
            new HistoryBug(
                    "skip-within-poll",
                    "a poll leaves a record out",
                    "I6 int-poll-skip",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER && poll.records().size() > 2,
                            poll -> with(
                                    poll,
                                    Recording.without(
                                            poll.records(),
                                            value -> value == poll.records().value(1))))),
            new HistoryBug(
                    "lose-a-poll",
                    "a whole answer is lost and the position moves on",
                    "I6 poll-skip",
                    recording -> recording.remove(
                            Polled.class,
                            poll -> poll.consumer() == READER && poll.records().offset(0) == 0)),
            new HistoryBug("poll-twice", "an answer is delivered twice", "I6 nonmonotonic-poll", recording -> {
                int position = recording.find(Polled.class, poll -> poll.consumer() == READER);
                recording.events.add(position, recording.events.get(position));
            }),
            new HistoryBug(
                    "shuffle-poll",
                    "batches of one answer are in the wrong order",
                    "I6 int-nonmonotonic-poll",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER && poll.records().size() > 2,
                            poll -> with(
                                    poll,
                                    Recording.rewrite(
                                            poll.records(),
                                            (run, i, to) -> Recording.keep(run, run.size() - 1 - i, to))))),
            new HistoryBug("stale-slot-at-end", "a reader is not told of the last records", "I7 unseen", recording -> {
                List<Polled> polls = recording.events.stream()
                        .filter(Polled.class::isInstance)
                        .map(Polled.class::cast)
                        .filter(poll -> poll.consumer() == FINAL_READER)
                        .toList();
                recording.events.remove(polls.get(polls.size() - 1));
            }),
            new HistoryBug(
                    "off-by-one-above-watermark",
                    "a reader gets the record at the high watermark",
                    "I8 read-above-high-watermark",
                    recording -> recording.changeAll(
                            WatermarksPublished.class,
                            any -> true,
                            now -> new WatermarksPublished(
                                    now.atNs(),
                                    now.node(),
                                    now.partition(),
                                    0,
                                    Math.min(now.highWatermark(), CleanHistory.COPIES - 1),
                                    now.lastStableOffset()))),
            new HistoryBug(
                    "ignore-last-stable-offset",
                    "read_committed is bound by the high watermark alone",
                    "I8 read-above-last-stable-offset",
                    recording -> recording.changeAll(
                            WatermarksPublished.class,
                            any -> true,
                            now -> new WatermarksPublished(
                                    now.atNs(), now.node(), now.partition(), 0, now.highWatermark(), 0))),
            new HistoryBug("watermark-back", "a watermark goes back", "I8 nonmonotonic-watermark", recording -> {
                List<WatermarksObserved> seen = recording.events.stream()
                        .filter(WatermarksObserved.class::isInstance)
                        .map(WatermarksObserved.class::cast)
                        .toList();
                recording.changeAll(
                        WatermarksObserved.class,
                        seen.get(1)::equals,
                        now -> new WatermarksObserved(
                                now.invokedNs(),
                                now.atNs(),
                                now.observer(),
                                now.partition(),
                                0,
                                now.highWatermark() - 1,
                                now.lastStableOffset() - 1,
                                0));
            }),
            new HistoryBug(
                    "read-deleted-segment",
                    "records below the log's start are served",
                    "I8 read-below-log-start",
                    recording -> {
                        int position = recording.find(Assigned.class, assigned -> assigned.consumer() == FINAL_READER);
                        Assigned assigned = (Assigned) recording.events.get(position);
                        recording.events.add(
                                position, new LogStartMoved(assigned.atNs() - 2, assigned.atNs() - 1, 0, 10));
                    }),
            new HistoryBug(
                    "stale-epoch",
                    "a deposed leader's bytes are served",
                    "I9 other-epoch",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER,
                            poll -> with(
                                    poll,
                                    Recording.rewrite(
                                            poll.records(),
                                            (run, i, to) ->
                                                    to.add(run.offset(i), run.value(i), 0, run.digest(i), 3))))),
            new HistoryBug(
                    "read-uncommitted-tail",
                    "a record is served that no log has in the end",
                    "I9 truncated-read",
                    recording -> recording.change(Polled.class, poll -> poll.consumer() == READER, poll -> {
                        RecordRun.Builder run = new RecordRun.Builder(0);
                        for (int i = 0; i < poll.records().size(); i++) {
                            Recording.keep(poll.records(), i, run);
                        }
                        RecordRun first = poll.records();
                        return with(
                                poll,
                                run.add(1_000_000, first.value(0), 0, first.digest(0), 0)
                                        .build());
                    })),
            new HistoryBug(
                    "copy-other-bytes",
                    "a replica has other bytes",
                    "I10 divergent-replicas",
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
                                    dump.asOfNs()))),
            new HistoryBug(
                    "reorder-responses",
                    "answers overtake each other on a connection",
                    "I11 reordered-response",
                    recording -> recording.change(
                            ResponseRead.class,
                            response -> response.connection() == 1 && response.correlationId() < 9,
                            response -> new ResponseRead(response.atNs(), 1, response.correlationId() + 1, 0))),
            new HistoryBug("answer-twice", "a request is answered twice", "I11 unexpected-response", recording -> {
                int position = recording.find(ResponseRead.class, any -> true);
                recording.events.add(position, recording.events.get(position));
            }),
            new HistoryBug(
                    "own-error-code",
                    "a Produce is answered with an error of Fetch",
                    "I11 foreign-error",
                    recording -> recording.change(
                            ResponseRead.class,
                            response -> response.correlationId() % 2 == 0,
                            response -> new ResponseRead(
                                    response.atNs(), response.connection(), response.correlationId(), 78))));

    private LogBugs() {}

    private static int producer(long value) {
        return ValueId.producer(value);
    }

    /** Whether a record of producer 1 has another behind it. */
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

    static Polled with(Polled poll, RecordRun records) {
        return new Polled(
                poll.invokedNs(),
                poll.atNs(),
                poll.consumer(),
                poll.partition(),
                poll.positionBefore(),
                poll.positionAfter(),
                records);
    }

    static BatchDumped with(BatchDumped batch, RecordRun records) {
        return new BatchDumped(
                batch.dump(),
                batch.baseOffset(),
                batch.lastOffset(),
                batch.leaderEpoch(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                batch.type(),
                batch.crcValid(),
                batch.hash(),
                records);
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

    private static void describe(Recording recording, int described) {
        recording.change(
                Polled.class,
                poll -> poll.consumer() == READER,
                poll -> with(
                        poll,
                        Recording.rewrite(
                                poll.records(),
                                (run, i, to) -> to.add(
                                        run.offset(i),
                                        run.value(i),
                                        i == 0 ? described : run.described(i),
                                        run.digest(i),
                                        run.leaderEpoch(i)))));
    }

    /** The records at the offset and behind it change places, and everybody agrees. */
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
                poll -> with(poll, swapped(poll.records(), first, second)));
        recording.changeAll(
                BatchDumped.class,
                batch -> batch.dump() < 2,
                batch -> with(batch, swapped(batch.records(), first, second)));
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
