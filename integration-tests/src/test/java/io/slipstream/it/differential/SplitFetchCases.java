// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Fetches of partitions that RDMA serves, beside some that only the broker can answer. */
final class SplitFetchCases {
    /** The logical name of topics that the broker's settings exclude from RDMA. */
    private static final String SECRET = "secret";

    private static final int LONG_WAIT_MS = 15_000;
    private static final int RANDOM_STEPS = 150;

    private SplitFetchCases() {}

    static List<Case> all() {
        return Stream.of(
                        Case.of("split-of-each-version", SplitFetchCases::versions),
                        Case.of("split-beside-errors", SplitFetchCases::errors),
                        Case.of("split-within-limits", SplitFetchCases::limits),
                        Case.of("split-of-a-session", SplitFetchCases::session),
                        Case.of("split-that-waits", SplitFetchCases::waits),
                        Case.of("split-of-transactions", SplitFetchCases::committed),
                        Case.of("split-at-random", SplitFetchCases::random))
                .map(each -> each.byRdma(FETCH).fallsBackFor("not_readable"))
                .toList();
    }

    /** The value of the broker's setting that excludes them. */
    static String excludedTopics() {
        return all().stream().map(each -> each.name() + '-' + SECRET + '*').collect(Collectors.joining(","));
    }

    private static void fill(ArmContext arm, RawClient client, TopicRef topic, int partitions, int sizeBytes)
            throws IOException {
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < 4; i++) {
                arm.produce(client, topic, partition, arm.batch(1 + i, sizeBytes + 10 * partition));
            }
        }
    }

    private static void versions(ArmContext arm) throws IOException {
        TopicRef open = arm.topic("open", 2);
        TopicRef secret = arm.topic(SECRET, 2);
        RawClient client = arm.connect();
        fill(arm, client, open, 2, 100);
        fill(arm, client, secret, 2, 100);
        for (int version = 4; version <= FetchRequests.NEWEST; version++) {
            for (int round = 0; round < 3; round++) {
                String label = "v" + version + " round " + round;
                arm.call(
                        client,
                        label + " last",
                        at(version, open, secret, round).frame());
                arm.call(
                        client,
                        label + " first",
                        at(version, secret, open, round).frame());
                arm.call(
                        client,
                        label + " between, and at its end",
                        FetchRequests.version(version)
                                .add(open, 1, 1)
                                .add(secret, 0, 10)
                                .add(open, 0, 3)
                                .frame());
            }
        }
    }

    private static FetchRequests at(int version, TopicRef first, TopicRef second, int offset) {
        return FetchRequests.version(version)
                .add(first, 0, offset)
                .add(first, 1, 2L * offset)
                .add(second, 1, offset)
                .add(second, 0, offset);
    }

    /** Each error, alone beside records and all together, in each place. */
    private static void errors(ArmContext arm) throws IOException {
        TopicRef open = arm.topic("open", 3);
        TopicRef secret = arm.topic(SECRET, 1);
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        fill(arm, client, open, 3, 200);
        fill(arm, client, secret, 1, 200);
        for (int version : new int[] {5, 11, 12, 13, FetchRequests.NEWEST}) {
            for (int wrong = 0; wrong < 6; wrong++) {
                for (boolean first : new boolean[] {true, false}) {
                    FetchRequests request = FetchRequests.version(version);
                    if (!first) {
                        request.add(open, 0, 1).add(secret, 0, 0);
                    }
                    wrong(request, version, wrong, open, missing);
                    if (first) {
                        request.add(secret, 0, 0).add(open, 0, 1);
                    }
                    arm.call(client, "v" + version + " wrong " + wrong + " first " + first, request.frame());
                }
            }
            FetchRequests all = FetchRequests.version(version).add(missing, 1, 0);
            for (int wrong = 0; wrong < 5; wrong++) {
                wrong(all, version, wrong, open, missing);
            }
            arm.call(
                    client,
                    "v" + version + " all",
                    all.add(open, 0, 0).add(secret, 0, 1).frame());
        }
    }

    private static void wrong(FetchRequests request, int version, int which, TopicRef open, TopicRef missing) {
        switch (which) {
            case 0 -> request.add(missing, 0, 0);
            case 1 -> request.add(open, 9, 0);
            case 2 -> request.add(open, 1, 1000);
            case 3 -> request.add(open, 2, 0, 1 << 20, 7, -1);
            case 4 -> request.add(missing, 2, 5);
            default -> request.add(open, 2, 0, 1 << 20, 0, version >= 12 ? 3 : -1);
        }
    }

    private static void limits(ArmContext arm) throws IOException {
        TopicRef open = arm.topic("open", 3);
        TopicRef secret = arm.topic(SECRET, 3);
        RawClient client = arm.connect();
        fill(arm, client, open, 3, 300);
        fill(arm, client, secret, 3, 300);
        for (int maxBytes : new int[] {0, 1, 300, 500, 1500, 2500, 5000, 9000, 20_000}) {
            for (int partitionMaxBytes : new int[] {0, 400, 1200, 1 << 20}) {
                for (boolean openFirst : new boolean[] {true, false}) {
                    TopicRef one = openFirst ? open : secret;
                    TopicRef other = openFirst ? secret : open;
                    arm.call(
                            client,
                            "max " + maxBytes + " of partition " + partitionMaxBytes + " open first " + openFirst,
                            FetchRequests.version(FetchRequests.NEWEST)
                                    .maxBytes(maxBytes)
                                    .add(one, 0, 0, partitionMaxBytes)
                                    .add(one, 1, 1, partitionMaxBytes)
                                    .add(other, 0, 1, partitionMaxBytes)
                                    .add(other, 2, 10, partitionMaxBytes)
                                    .add(other, 1, 0, partitionMaxBytes)
                                    .frame());
                }
            }
        }
    }

    private static void session(ArmContext arm) throws Exception {
        TopicRef open = arm.topic("open", 3);
        TopicRef secret = arm.topic(SECRET, 2);
        TopicRef missing = arm.missingTopic("missing");
        for (int version : new int[] {7, 12, FetchRequests.NEWEST}) {
            RawClient client = arm.connect();
            arm.produce(client, open, 0, arm.batch(2, 100));
            RawSession session = new RawSession(arm, client, version);
            session.poll(
                    "open",
                    session.request()
                            .add(open, 0, 0)
                            .add(secret, 0, 0)
                            .add(open, 1, 0)
                            .add(open, 2, 0));
            for (int round = 0; round < 3; round++) {
                arm.produce(client, open, round, arm.batch(1, 100));
                session.poll("records of one side", session.movedOn());
                arm.produce(client, secret, 0, arm.batch(1, 200));
                session.poll("of the other", session.movedOn());
                arm.produce(client, open, 1, arm.batch(1, 100));
                arm.produce(client, secret, 0, arm.batch(1, 200));
                session.poll("of both", session.movedOn());
                session.poll("of none", session.movedOn());
            }
            arm.produce(client, open, 2, arm.batch(3, 100));
            session.poll("an error", session.request().add(missing, 0, 0));
            session.poll("still", session.request());
            session.poll("two more", session.request().add(secret, 1, 0).add(open, 1, 1000));
            session.poll("less", session.forget(session.request(), missing, 0));
            session.poll("in range", session.movedOn().add(open, 1, 0));
            session.poll("the same again", session.request());
            arm.produce(client, open, 0, arm.batch(1, 100));
            session.poll("without it", session.forget(session.movedOn(), secret, 0, 1));
            session.poll("closed", session.closing().add(open, 0, 0).add(secret, 0, 0));
            session.poll("opened anew", session.reopening().add(secret, 0, 0).add(open, 0, 0));
            for (int turn = 0; turn < 6; turn++) {
                session.poll("turn " + turn, session.request().maxBytes(300));
            }
        }
    }

    /** Records of either side end the wait. */
    private static void waits(ArmContext arm) throws IOException {
        TopicRef open = arm.topic("open", 1);
        TopicRef secret = arm.topic(SECRET, 1);
        RawClient consumer = arm.connect();
        RawClient producer = arm.connect();
        arm.produce(producer, open, 0, arm.batch(1, 100));
        arm.call(
                consumer,
                "some",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(1, LONG_WAIT_MS)
                        .add(open, 0, 0)
                        .add(secret, 0, 0)
                        .frame());
        for (int round = 0; round < 6; round++) {
            long startNs = System.nanoTime();
            consumer.send(FetchRequests.version(FetchRequests.NEWEST)
                    .minBytes(1, LONG_WAIT_MS)
                    .add(open, 0, 1 + round / 2)
                    .add(secret, 0, (1 + round) / 2)
                    .frame());
            arm.produce(producer, round % 2 == 0 ? secret : open, 0, arm.batch(1, 100));
            arm.transcript().note("woken", LongPollCases.withWatermarksOfRecords(consumer.receive()));
            LongPollCases.noteWait(arm, startNs, 0, LongPollCases.PROMPT_MS);
        }
        long startNs = System.nanoTime();
        arm.call(
                consumer,
                "nothing",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(1, 300)
                        .add(open, 0, 4)
                        .add(secret, 0, 3)
                        .frame());
        LongPollCases.noteWait(arm, startNs, 300, 300 + LongPollCases.PROMPT_MS);
        arm.call(
                consumer,
                "enough only together",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(600, LONG_WAIT_MS)
                        .add(open, 0, 0)
                        .add(secret, 0, 0)
                        .frame());
    }

    private static void committed(ArmContext arm) throws IOException {
        TopicRef open = arm.topic("open", 2);
        TopicRef secret = arm.topic(SECRET, 1);
        RawClient client = arm.connect();
        for (boolean commit : new boolean[] {true, false, true}) {
            RawTransaction ofOpen = RawTransaction.begin(arm, client, "open", open);
            RawTransaction ofSecret = RawTransaction.begin(arm, client, "secret", secret);
            ofOpen.produce(RawTransaction.FIRST_PROTOCOL, arm.values(2, 100));
            ofSecret.produce(RawTransaction.FIRST_PROTOCOL, arm.values(1, 100));
            arm.produce(client, open, 1, arm.batch(1, 100));
            read(arm, client, open, secret);
            ofOpen.end(commit);
            read(arm, client, open, secret);
            ofSecret.end(!commit);
            read(arm, client, open, secret);
        }
    }

    private static void read(ArmContext arm, RawClient client, TopicRef open, TopicRef secret) throws IOException {
        for (int version : new int[] {4, 11, FetchRequests.NEWEST}) {
            arm.call(
                    client,
                    "v" + version + " committed",
                    FetchRequests.version(version)
                            .readCommitted()
                            .add(open, 0, 0)
                            .add(secret, 0, 0)
                            .add(open, 1, 0)
                            .frame());
        }
    }

    private static void random(ArmContext arm) throws IOException {
        Random random = arm.random();
        TopicRef[] topics = {arm.topic("open", 4), arm.topic(SECRET, 3), arm.missingTopic("missing")};
        RawClient producer = arm.connect();
        int version = random.nextBoolean() ? FetchRequests.NEWEST : 7 + random.nextInt(6);
        RawSession session = new RawSession(arm, arm.connect(), version);
        arm.produce(producer, topics[0], 0, arm.batch(1, 300));
        session.poll("open", session.request().add(topics[0], 0, 0).add(topics[1], 0, 0));
        for (int step = 0; step < RANDOM_STEPS; step++) {
            int which = random.nextInt(8) == 0 ? 2 : random.nextInt(2);
            TopicRef topic = topics[which];
            int partition = random.nextInt(which == 0 ? 4 : 3);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    if (which < 2) {
                        arm.produce(producer, topic, partition, arm.batch(1 + random.nextInt(3), 300));
                    }
                }
                case 3 -> session.poll(step + " add", session.movedOn().add(topic, partition, 0));
                case 4 -> session.poll(step + " forget", session.forget(session.request(), topic, partition));
                case 5 -> session.poll(step + " out of range", session.request().add(topic, partition, 900));
                case 6 ->
                    session.poll(
                            step + " limits",
                            session.movedOn().maxBytes(1 + random.nextInt(4000)).minBytes(1 + random.nextInt(2000), 1));
                default -> session.poll(step + " go on", session.movedOn());
            }
        }
    }
}
