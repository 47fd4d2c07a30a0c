// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Fetch sessions (KIP-227): incremental requests and their answers. Session ids are not compared. */
final class FetchSessionCases {
    private static final int FIRST_VERSION = 7;
    private static final int RANDOM_STEPS = 150;

    private FetchSessionCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>(List.of(
                Case.of("session-every-version", FetchSessionCases::everyVersion)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("session-partitions-come-and-go", FetchSessionCases::comeAndGo)
                        .byRdma(FETCH),
                Case.of("session-turns", FetchSessionCases::turns).byRdma(FETCH).inCore(),
                Case.of("session-topics-between-topics", FetchSessionCases::between)
                        .byRdma(FETCH),
                Case.of("session-ends", FetchSessionCases::ends).byRdma(FETCH).inCore(),
                Case.of("session-misused", FetchSessionCases::misused).byRdma(FETCH),
                Case.of("session-with-errors", FetchSessionCases::errors)
                        .byRdma(FETCH)
                        .fallsBackFor("not_readable"),
                Case.of("session-opened-beside-an-error", FetchSessionCases::openedBesideAnError)
                        .byRdma(FETCH)
                        .fallsBackFor("not_readable"),
                Case.of("session-waits", FetchSessionCases::waits).byRdma(FETCH),
                Case.of("session-while-rdma-is-switched", FetchSessionCases::switched)
                        .byRdma(FETCH)
                        .fallsBackFor("disabled")));
        for (int i = 1; i <= 3; i++) {
            cases.add(Case.of("session-random-" + i, FetchSessionCases::random).byRdma(FETCH));
        }
        return cases;
    }

    private static void everyVersion(ArmContext arm) throws IOException {
        for (int version = FIRST_VERSION; version <= FetchRequests.NEWEST; version++) {
            TopicRef topic = arm.topic("v" + version, 3);
            RawSession session = new RawSession(arm, arm.connect(), version);
            RawClient producer = arm.connect();
            arm.produce(producer, topic, 0, arm.batch(2, 100));
            session.poll("open", all(session, topic, 3));
            session.poll("nothing new", session.request());
            arm.produce(producer, topic, 1, arm.batch(3, 50));
            session.poll("one more", session.request());
            session.poll("the same again", session.request());
            session.poll("moved on", session.request().add(topic, 1, 3).add(topic, 0, 2));
            session.poll("nothing new", session.request());
        }
    }

    private static FetchRequests all(RawSession session, TopicRef topic, int partitions) {
        FetchRequests request = session.request();
        for (int partition = 0; partition < partitions; partition++) {
            request.add(topic, partition, 0);
        }
        return request;
    }

    private static void comeAndGo(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 6);
        RawClient client = arm.connect();
        for (int partition = 0; partition < 6; partition++) {
            arm.produce(client, topic, partition, arm.batch(1, 100 + partition));
        }
        RawSession session = new RawSession(arm, client, FetchRequests.NEWEST);
        session.poll("two", session.request().add(topic, 4, 0).add(topic, 1, 0));
        session.poll("two more", session.request().add(topic, 0, 0).add(topic, 5, 1));
        session.poll("one less", session.forget(session.request(), topic, 1));
        session.poll("the last one less", session.forget(session.request(), topic, 5));
        session.poll("changed and forgotten", session.forget(session.request().add(topic, 4, 1), topic, 4));
        session.poll("unknown partition forgotten", session.forget(session.request(), topic, 3));
        session.poll("come back", session.request().add(topic, 1, 0).add(topic, 4, 0));
        session.poll("all gone", session.forget(session.request(), topic, 0, 1, 4));
        session.poll("after the end", session.request().add(topic, 0, 0));
    }

    /** With small limits, a partition that returned records waits for the others. */
    private static void turns(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 5);
        RawClient client = arm.connect();
        for (int partition = 0; partition < 5; partition++) {
            for (int i = 0; i < 4; i++) {
                arm.produce(client, topic, partition, arm.batch(1, 400 + 10 * partition));
            }
        }
        RawSession session = new RawSession(arm, client, FetchRequests.NEWEST);
        session.poll("open", all(session, topic, 5).maxBytes(1100));
        for (int i = 0; i < 16; i++) {
            session.poll("turn " + i, session.movedOn().maxBytes(1100));
        }
        // An unchanged position returns the same records, in turn.
        RawSession other = new RawSession(arm, client, FetchRequests.NEWEST);
        other.poll("open", all(other, topic, 5).maxBytes(600));
        for (int i = 0; i < 7; i++) {
            other.poll("again " + i, other.request().maxBytes(600));
        }
    }

    /** Answers group partitions of a topic only if they are adjacent. */
    private static void between(ArmContext arm) throws IOException {
        for (int version : new int[] {12, FetchRequests.NEWEST}) {
            TopicRef a = arm.topic("a" + version, 3);
            TopicRef b = arm.topic("b" + version, 1);
            RawClient client = arm.connect();
            RawSession session = new RawSession(arm, client, version);
            session.poll("a", session.request().add(a, 0, 0));
            session.poll("b", session.request().add(b, 0, 0));
            session.poll("a again", session.request().add(a, 1, 0).add(a, 2, 0));
            arm.produce(client, a, 0, arm.batch(1, 10));
            arm.produce(client, a, 1, arm.batch(1, 11));
            session.poll("without b", session.request());
            arm.produce(client, b, 0, arm.batch(1, 12));
            arm.produce(client, a, 2, arm.batch(1, 13));
            session.poll("with b", session.request());
            session.poll("once more", session.request());
        }
    }

    private static void ends(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        RawSession session = new RawSession(arm, client, FetchRequests.NEWEST);
        session.poll("open", all(session, topic, 2));
        session.poll("closed", session.closing());
        session.poll("after it was closed", session.later());
        session.poll("open", all(session, topic, 2));
        session.poll("closed with a last fetch", session.closing().add(topic, 0, 0));
        session.poll("open", all(session, topic, 2));
        session.poll(
                "opened anew in its place", session.reopening().add(topic, 1, 0).add(topic, 0, 1));
        session.poll("nothing new", session.request());
        session.poll("with nothing", session.reopening());
        session.poll("something at last", session.request().add(topic, 0, 0));
        session.poll("without", FetchRequests.version(FetchRequests.NEWEST).add(topic, 0, 0));
    }

    private static void misused(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        RawSession session = new RawSession(arm, client, 13);
        session.poll("open", all(session, topic, 2));
        session.poll("by name", session.later(12).add(topic, 0, 0));
        session.poll("an epoch ahead", session.ahead());
        session.poll("the right one", session.later());
        session.poll("twice in one request", twice(session.request(), topic));
        session.poll("negative offset", session.request().add(topic, 0, -5));
        session.poll("moved on", session.request().add(topic, 0, 1));
        session.poll("nothing new", session.request());
    }

    private static FetchRequests twice(FetchRequests request, TopicRef topic) {
        request.add(topic, 0, 0);
        request.add(topic, 0, 1);
        return request;
    }

    private static void errors(ArmContext arm) throws Exception {
        TopicRef topic = arm.topic("t", 2);
        TopicRef missing = arm.missingTopic("missing");
        for (int version : new int[] {11, 12, FetchRequests.NEWEST}) {
            RawClient client = arm.connect();
            arm.produce(client, topic, 0, arm.batch(1, 100));
            RawSession session = new RawSession(arm, client, version);
            session.poll("open", all(session, topic, 2));
            session.poll("out of range", session.request().add(topic, 0, 1000));
            session.poll("still", session.request());
            session.poll("in range", session.request().add(topic, 0, 0));
            session.poll("unknown topic", session.request().add(missing, 0, 0));
            arm.produce(client, topic, 1, arm.batch(1, 200));
            session.poll("still unknown", session.request());
            session.poll("forgotten", session.forget(session.request(), missing, 0));
            session.poll("fenced epoch", session.request().add(topic, 1, 0, 1 << 20, 7, -1));
            session.poll("good epoch", session.request().add(topic, 1, 0, 1 << 20, 0, -1));
            arm.accelerate(client);
            session.poll("nothing new", session.request());
        }
    }

    /** The session that a client is told with an error goes on, and its end is an end however often it is named. */
    private static void openedBesideAnError(ArmContext arm) throws Exception {
        TopicRef topic = arm.topic("t", 2);
        TopicRef missing = arm.missingTopic("missing");
        for (int version : new int[] {7, 12, FetchRequests.NEWEST}) {
            RawClient client = arm.connect();
            arm.produce(client, topic, 0, arm.batch(1, 100));
            RawSession session = new RawSession(arm, client, version);
            session.poll("out of range", session.request().add(topic, 1, 0).add(topic, 0, 1000));
            session.poll("in range", session.request().add(topic, 0, 0));
            session.poll("nothing new", session.movedOn());
            session.poll("unknown topic", session.reopening().add(missing, 0, 0).add(topic, 0, 0));
            session.poll("still unknown", session.request());
            session.poll("forgotten", session.forget(session.request(), missing, 0));
            session.poll("closed", session.closing().add(topic, 0, 0));
            for (int i = 0; i < 3; i++) {
                session.poll("closed again", session.closingAgain().add(topic, 0, 0));
                session.poll(
                        "of no session",
                        FetchRequests.version(version).session(-1, -1).add(topic, 0, 0));
            }
        }
    }

    private static void waits(ArmContext arm) throws Exception {
        TopicRef topic = arm.topic("t", 3);
        RawClient producer = arm.connect();
        RawSession session = new RawSession(arm, arm.connect(), FetchRequests.NEWEST);
        session.poll("open", all(session, topic, 3));
        session.poll("for nothing", session.request().minBytes(1, 50));
        for (int i = 0; i < 3; i++) {
            session.send(session.request().minBytes(1, 20_000));
            arm.produce(producer, topic, i, arm.batch(1, 100));
            session.receive("for records of " + i);
            session.poll("moved on", session.request().add(topic, i, 1));
        }
    }

    private static void switched(ArmContext arm) throws Exception {
        TopicRef topic = arm.topic("t", 3);
        RawClient client = arm.connect();
        RawClient producer = arm.connect();
        RawSession session = new RawSession(arm, client, FetchRequests.NEWEST);
        session.poll("open", all(session, topic, 3));
        for (int round = 0; round < 4; round++) {
            arm.arm().switchRdma(round % 2 == 1);
            for (int i = 0; i < 3; i++) {
                arm.produce(producer, topic, i, arm.batch(1, 100));
                session.poll(round + " records of " + i, session.movedOn());
            }
            session.poll(round + " nothing new", session.movedOn());
        }
        arm.arm().switchRdma(true);
    }

    private static void random(ArmContext arm) throws IOException {
        Random random = arm.random();
        TopicRef[] topics = {arm.topic("a", 4), arm.topic("b", 3), arm.topic("c", 5)};
        RawClient producer = arm.connect();
        int version = random.nextBoolean() ? FetchRequests.NEWEST : 7 + random.nextInt(6);
        RawSession session = new RawSession(arm, arm.connect(), version);
        session.poll("open", all(session, topics[0], 4));
        for (int step = 0; step < RANDOM_STEPS; step++) {
            TopicRef topic = topics[random.nextInt(3)];
            int partition = random.nextInt(topic == topics[0] ? 4 : topic == topics[1] ? 3 : 5);
            switch (random.nextInt(8)) {
                case 0, 1 -> arm.produce(producer, topic, partition, arm.batch(1 + random.nextInt(3), 300));
                case 2 -> session.poll(step + " add", session.movedOn().add(topic, partition, 0));
                case 3 -> session.poll(step + " forget", session.forget(session.request(), topic, partition));
                case 4 ->
                    session.poll(
                            step + " limits",
                            session.movedOn().maxBytes(1 + random.nextInt(4000)).minBytes(1 + random.nextInt(2000), 1));
                case 5 ->
                    session.poll(
                            step + " partition's limit",
                            session.request().add(topic, partition, 0, 1 + random.nextInt(2000)));
                default -> session.poll(step + " go on", session.movedOn());
            }
        }
    }
}
