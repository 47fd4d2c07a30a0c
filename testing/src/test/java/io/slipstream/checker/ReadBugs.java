// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.ResponseRead;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.RecordRun;
import java.util.List;

/** Bugs visible in consumers' records and in responses. */
final class ReadBugs {
    private static final int READER = 0;
    private static final int FINAL_READER = 2 * CleanHistory.PARTITIONS;

    static final List<HistoryBug> ALL = List.of(
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
                            poll -> poll.withRecords(Recording.rewrite(
                                    poll.records(),
                                    (run, i, to) -> to.add(
                                            run.offset(i),
                                            run.value(i),
                                            run.described(i),
                                            run.digest(i) ^ 1,
                                            run.leaderEpoch(i)))))),
            new HistoryBug(
                    "skip-within-poll",
                    "a poll leaves a record out",
                    "I6 int-poll-skip",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER && poll.records().size() > 2,
                            poll -> poll.withRecords(Recording.without(
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
                            poll -> poll.withRecords(Recording.rewrite(
                                    poll.records(), (run, i, to) -> Recording.keep(run, run.size() - 1 - i, to))))),
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
                            WatermarksObserved.class,
                            ReadBugs::isOfTheCopy,
                            now -> observed(now, CleanHistory.COPIES - 1, now.lastStableOffset(), 0))),
            new HistoryBug(
                    "ignore-last-stable-offset",
                    "read_committed is bound by the high watermark alone",
                    "I8 read-above-last-stable-offset",
                    recording -> recording.changeAll(
                            WatermarksObserved.class,
                            ReadBugs::isOfTheCopy,
                            now -> observed(now, now.highWatermark(), 0, 0))),
            new HistoryBug("watermark-back", "a watermark goes back", "I8 nonmonotonic-watermark", recording -> {
                List<WatermarksObserved> seen = recording.events.stream()
                        .filter(WatermarksObserved.class::isInstance)
                        .map(WatermarksObserved.class::cast)
                        .toList();
                recording.changeAll(
                        WatermarksObserved.class,
                        seen.get(1)::equals,
                        now -> observed(now, now.highWatermark() - 1, now.lastStableOffset() - 1, 0));
            }),
            new HistoryBug(
                    "read-deleted-segment",
                    "records below the log's start are served",
                    "I24 read-below-log-start",
                    recording -> recording.changeAll(
                            WatermarksObserved.class,
                            now -> now.partition() == CleanHistory.TRIMMED,
                            now -> observed(now, now.highWatermark(), now.lastStableOffset(), 2))),
            new HistoryBug(
                    "stale-epoch",
                    "a deposed leader's bytes are served",
                    "I9 other-epoch",
                    recording -> recording.change(
                            Polled.class,
                            poll -> poll.consumer() == READER,
                            poll -> poll.withRecords(Recording.rewrite(
                                    poll.records(),
                                    (run, i, to) -> to.add(run.offset(i), run.value(i), 0, run.digest(i), 3))))),
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
                        return poll.withRecords(run.add(1_000_000, first.value(0), 0, first.digest(0), 0)
                                .build());
                    })),
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

    private ReadBugs() {}

    private static boolean isOfTheCopy(WatermarksObserved now) {
        return now.partition() == CleanHistory.COPY;
    }

    private static WatermarksObserved observed(
            WatermarksObserved now, long highWatermark, long lastStableOffset, long logStart) {
        return new WatermarksObserved(
                now.invokedNs(),
                now.atNs(),
                now.observer(),
                now.partition(),
                now.leaderEpoch(),
                highWatermark,
                lastStableOffset,
                logStart);
    }

    private static void describe(Recording recording, int described) {
        recording.change(
                Polled.class,
                poll -> poll.consumer() == READER,
                poll -> poll.withRecords(Recording.rewrite(
                        poll.records(),
                        (run, i, to) -> to.add(
                                run.offset(i),
                                run.value(i),
                                i == 0 ? described : run.described(i),
                                run.digest(i),
                                run.leaderEpoch(i)))));
    }
}
