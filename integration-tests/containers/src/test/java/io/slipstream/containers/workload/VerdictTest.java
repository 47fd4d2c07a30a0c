// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Plants each forbidden anomaly into a clean workload. */
class VerdictTest {
    private static final String TOPIC = "containers-go";
    private static final long RUN = 7;
    private static final int RECORDS = 20;

    /**
     * A producer that sent twenty records to partition 0, five at a time; a consumer that read them, with a rebalance
     * after the fifteenth; and the log.
     */
    private static final class Workload {
        final List<String> producer = new ArrayList<>();
        final List<String> consumer = new ArrayList<>();
        final List<LoggedRecord> log = new ArrayList<>();
        private long at = 1_000;

        Workload() {
            producer.add(line("started", "'language':'go','topic':'" + TOPIC + "','run':" + RUN + ",'group':'g'"));
            consumer.add(line("started", "'language':'go','topic':'" + TOPIC + "','run':" + RUN + ",'group':'g'"));
            consumer.add(line("assigned", "'partitions':[0]"));
            for (int i = 0; i < RECORDS; i++) {
                if (i % 5 == 0) {
                    producer.add(line("sending", "'partition':0,'count':5,'sequence':" + i));
                }
                producer.add(acknowledged(i, i));
                log.add(logged(i, i));
                consumer.add(read(i, i));
                if (i == 9) {
                    consumer.add(committed(10));
                } else if (i == 14) {
                    consumer.add(line("revoked", "'partitions':[0]"));
                    consumer.add(line("assigned", "'partitions':[0]"));
                    for (int again = 10; again < 15; again++) {
                        consumer.add(read(again, again));
                    }
                }
            }
            consumer.add(committed(RECORDS));
            producer.add(line("ended", "'records':20,'unfinished':0"));
            consumer.add(line("ended", "'records':25,'unfinished':0"));
        }

        String line(String event, String fields) {
            return ("{'event':'" + event + "','at':" + at++ + "," + fields + "}").replace('\'', '"');
        }

        String acknowledged(int sequence, long offset) {
            return line("acknowledged", "'partition':0,'sequence':" + sequence + ",'offset':" + offset);
        }

        String read(int sequence, long offset) {
            return line(
                    "read",
                    "'partition':0,'offset':" + offset + ",'run':" + RUN + ",'sequence':" + sequence
                            + ",'intact':true");
        }

        String committed(long offset) {
            return line("committed", "'since':" + at + ",'offsets':{'0':" + offset + "},'outcome':'ok'");
        }

        LoggedRecord logged(int sequence, long offset) {
            return new LoggedRecord(TOPIC, 0, offset, new WorkloadValue("go", TOPIC, 0, RUN, sequence).encode());
        }

        /** Returns the position of the first line that contains this part. */
        int find(List<String> lines, String part) {
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).contains(part.replace('\'', '"'))) {
                    return i;
                }
            }
            throw new AssertionError("no line with " + part);
        }

        Verdict verdict() {
            return Verdict.on(new ClientResults(List.of(parsed(producer)), List.of(parsed(consumer))), log);
        }

        private static List<ResultLine> parsed(List<String> lines) {
            return lines.stream().map(ClientResults::parse).toList();
        }
    }

    @Test
    void shouldAcceptACorrectWorkload() {
        Verdict verdict = new Workload().verdict();

        assertThat(verdict.isClean()).as(verdict.text()).isTrue();
        assertThat(verdict.report().acknowledged()).isEqualTo(RECORDS);
        assertThat(verdict.redelivered()).isEqualTo(5);
        assertThat(verdict.givenUp()).isZero();
    }

    @Test
    void shouldNotReportAnOffsetWithoutRecordAsLost() {
        Workload workload = new Workload();
        // As if an offset in between had a transaction marker.
        workload.producer.replaceAll(
                line -> line.replace("\"sequence\":19,\"offset\":19", "\"sequence\":19,\"offset\":20"));
        workload.consumer.replaceAll(
                line -> line.replace("\"offset\":19,", "\"offset\":20,").replace("{\"0\":20}", "{\"0\":21}"));
        workload.log.set(19, workload.logged(19, 20));

        Verdict verdict = workload.verdict();

        assertThat(verdict.isClean()).as(verdict.text()).isTrue();
    }

    @Test
    void shouldAcceptEitherOutcomeOfAGivenUpRecord() {
        for (boolean inLog : new boolean[] {true, false}) {
            Workload workload = new Workload();
            int last = workload.find(workload.producer, "'sequence':19,'offset'");
            workload.producer.set(last, workload.line("given-up", "'partition':0,'sequence':19,'error':'fatal'"));
            if (!inLog) {
                workload.log.remove(19);
                workload.consumer.remove(workload.find(workload.consumer, "'offset':19,"));
            }

            Verdict verdict = workload.verdict();

            assertThat(verdict.isClean()).as(verdict.text()).isTrue();
            assertThat(verdict.givenUp()).isEqualTo(1);
        }
    }

    @TestFactory
    Stream<DynamicTest> shouldReportEachAnomaly() {
        return Stream.of(
                planted("a lost record", "I1 lost-write", workload -> {
                    workload.log.remove(12);
                }),
                planted("the last record lost", "I1 lost-write", workload -> {
                    workload.log.remove(19);
                    workload.consumer.remove(workload.find(workload.consumer, "'offset':19,"));
                }),
                planted("a record twice in the log", "I3 duplicate", workload -> {
                    workload.log.add(workload.logged(17, 20));
                }),
                planted("another record at an acknowledged offset", "I3 inconsistent-offsets", workload -> {
                    workload.log.set(3, workload.logged(4, 3));
                }),
                planted("records in the wrong order", "I5 nonmonotonic-send", workload -> {
                    int first = workload.find(workload.producer, "'sequence':6,'offset'");
                    workload.producer.set(first, workload.acknowledged(6, 7));
                    workload.producer.set(first + 1, workload.acknowledged(7, 6));
                    workload.log.set(6, workload.logged(7, 6));
                    workload.log.set(7, workload.logged(6, 7));
                    workload.consumer.set(workload.find(workload.consumer, "'offset':6,"), workload.read(7, 6));
                    workload.consumer.set(workload.find(workload.consumer, "'offset':7,"), workload.read(6, 7));
                }),
                planted("a changed byte in the log", "I4 corrupt-record", workload -> {
                    byte[] value = workload.log.get(8).value().clone();
                    value[30] ^= 1;
                    workload.log.set(8, new LoggedRecord(TOPIC, 0, 8, value));
                }),
                planted("a changed byte that only the consumer received", "I4 corrupt-record", workload -> {
                    workload.consumer.replaceAll(line -> line.contains("\"offset\":8,")
                            ? line.replace("\"intact\":true", "\"intact\":false")
                                    .replace("\"run\":7,\"sequence\":8", "\"run\":-1,\"sequence\":-1")
                            : line);
                }),
                planted("a record of another partition", "I4 misplaced-record", workload -> {
                    workload.producer.add(1, workload.line("sending", "'partition':1,'count':1,'sequence':0"));
                    byte[] other = new WorkloadValue("go", TOPIC, 1, RUN, 0).encode();
                    workload.log.add(new LoggedRecord(TOPIC, 0, 20, other));
                }),
                planted("a record that was never sent", "I2 invented-record", workload -> {
                    workload.log.add(workload.logged(20, 20));
                }),
                planted("a record that was skipped", "I6 poll-skip", workload -> {
                    workload.consumer.remove(workload.find(workload.consumer, "'offset':5,"));
                }),
                planted("records again without a rebalance", "I6 nonmonotonic-poll", workload -> {
                    workload.consumer.add(workload.find(workload.consumer, "'offset':6,"), workload.read(4, 4));
                }),
                planted("a member that starts after the committed offset", "I12 nonmonotonic-commit", workload -> {
                    int again = workload.find(workload.consumer, "'revoked'") + 2;
                    workload.consumer.remove(again);
                }),
                planted("records that were skipped during a rebalance", "I12 undelivered", workload -> {
                    int revoked = workload.find(workload.consumer, "'revoked'");
                    workload.consumer.subList(revoked + 2, revoked + 7).clear();
                    workload.consumer.subList(revoked - 3, revoked).clear();
                }),
                planted("a group that starts after the first record", "I12 undelivered", workload -> {
                    workload.consumer.remove(workload.find(workload.consumer, "'offset':0,"));
                }),
                planted("a consumer that read in another order than the log's", "I3 inconsistent-offsets", workload -> {
                    workload.consumer.set(workload.find(workload.consumer, "'offset':2,"), workload.read(3, 2));
                }));
    }

    private static DynamicTest planted(String what, String anomaly, Consumer<Workload> plant) {
        return DynamicTest.dynamicTest(what, () -> {
            Workload workload = new Workload();
            plant.accept(workload);

            Verdict verdict = workload.verdict();

            assertThat(verdict.isClean()).isFalse();
            assertThat(verdict.report().counts()).as(verdict.text()).containsKey(anomaly);
        });
    }

    @Test
    void shouldNameUnfinishedClients() {
        Workload workload = new Workload();
        workload.producer.remove(workload.producer.size() - 1);
        workload.consumer.set(workload.consumer.size() - 1, workload.line("ended", "'records':25,'unfinished':3"));

        assertThat(workload.verdict().isClean()).isFalse();
        assertThat(workload.verdict().unfinished())
                .containsExactly(
                        "go producer, run 7 was not done when it ended",
                        "go consumer, run 7 left 3 records unfinished");
    }

    @Test
    void shouldNotDependOnTheOrderOfPartitions() {
        Workload workload = new Workload();
        WorkloadValue other = new WorkloadValue("go", TOPIC, 1, RUN, 0);
        workload.producer.add(1, workload.line("sending", "'partition':1,'count':1,'sequence':0"));
        workload.log.add(new LoggedRecord(TOPIC, 1, 0, other.encode()));
        Collections.rotate(workload.log, 1);

        assertThat(workload.verdict().isClean()).as(workload.verdict().text()).isTrue();
    }

    @Test
    void shouldDecodeOnlyWhatWasEncoded() {
        WorkloadValue value = new WorkloadValue("node", "containers-node", 5, 1_795_000_000_000L, 123);
        byte[] bytes = value.encode();

        assertThat(WorkloadValue.decode(bytes)).contains(value);
        assertThat(WorkloadValue.decode(Arrays.copyOf(bytes, bytes.length - 1))).isEmpty();
        assertThat(WorkloadValue.decode(null)).isEmpty();
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            assertThat(WorkloadValue.decode(changed)).as("byte %d changed", i).isEmpty();
        }
    }
}
