// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.PRODUCE;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * acks=all with a follower that acknowledges late or never or is stopped, a moved leader, and a restarted one. The
 * order matters: one case stops the follower for all arms, the next one starts it, and a restart changes leader epochs.
 *
 * <p>NOT_ENOUGH_REPLICAS_AFTER_APPEND is not covered. Brokers of 4.x do not move the high watermark while too few
 * replicas are in sync ({@code Partition.maybeIncrementLeaderHW}), and answer a waiting request as soon as it moves.
 * The error therefore needs an ISR that shrinks between these two steps. It would take the path of REQUEST_TIMED_OUT:
 * from the purgatory, on a thread other than a request handler.
 */
final class ReplicationCases {
    private static final int[] VERSIONS = {3, 7, 8, 9, 10, 11, 12, 13};

    private ReplicationCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("acks-all-late", ReplicationCases::late).producesByRdmaOnly(),
                Case.of("fetch-below-a-watermark-held-back", ReplicationCases::heldBack)
                        .byRdma(PRODUCE, FETCH),
                Case.of("acks-all-timed-out", ReplicationCases::timedOut).producesByRdmaOnly(),
                Case.of("leader-moved", ReplicationCases::leaderMoved).producesByRdmaOnly(),
                Case.of("leader-moves-while-acks-all-waits", ReplicationCases::leaderMovesMeanwhile)
                        .producesByRdmaOnly(),
                Case.of("not-enough-replicas", ReplicationCases::notEnough).producesByRdmaOnly(),
                Case.of("enough-replicas-again", ReplicationCases::enoughAgain).producesByRdmaOnly(),
                Case.of("sequences-over-a-restart-of-the-broker", ReplicationCases::restarted)
                        .byRdma(PRODUCE));
    }

    private static Replicas replicas(ArmContext arm) {
        return new Replicas(arm.arm().brokers());
    }

    private static ProduceRequests produce(ArmContext arm, TopicRef topic, int version, int acks) {
        return ProduceRequests.version(version, acks).add(topic, 0, arm.batch(1, 100));
    }

    private static void fetch(ArmContext arm, RawClient client, TopicRef topic, long offset) throws IOException {
        arm.call(
                client,
                "fetch @" + offset,
                FetchRequests.version(FetchRequests.NEWEST)
                        .add(topic, 0, offset)
                        .frame());
    }

    /**
     * A request waits for the follower, as do later writes of another connection. Consumers see neither before the
     * follower has them.
     */
    private static void late(ArmContext arm) throws Exception {
        TopicRef topic = arm.replicatedTopic("t", "min.insync.replicas", "2");
        RawClient client = arm.connect();
        RawClient other = arm.connect();
        RawClient reader = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        replicas(arm).whileFollowerIsPaused(() -> {
            client.send(produce(arm, topic, 13, -1).frame());
            replicas(arm).awaitEnd(topic, 2);
            arm.call(other, "acks 1", produce(arm, topic, 13, 1).frame());
            fetch(arm, reader, topic, 0);
            fetch(arm, reader, topic, 1);
        });
        arm.transcript().note("late", client.receive());
        for (int i = 0; i < 20; i++) {
            client.send(produce(arm, topic, 13, i % 2 == 0 ? -1 : 1).frame());
        }
        for (int i = 0; i < 20; i++) {
            arm.transcript().note("in time " + i, client.receive());
        }
        arm.produce(other, topic, 0, arm.batch(1, 100));
        fetch(arm, reader, topic, 0);
    }

    /** Records missing at the follower are in the leader's segment, and no read on any path may return them. */
    private static void heldBack(ArmContext arm) throws Exception {
        TopicRef topic = arm.replicatedTopic("t", "min.insync.replicas", "1");
        RawClient producer = arm.connect();
        RawClient reader = arm.connect();
        RawSession session = new RawSession(arm, arm.connect(), FetchRequests.NEWEST);
        arm.produce(producer, topic, 0, arm.batch(2, 100));
        session.poll("open", session.request().add(topic, 0, 0));
        replicas(arm).whileFollowerIsPaused(() -> {
            for (int i = 0; i < 30; i++) {
                arm.call(producer, "acks 1", produce(arm, topic, 13, 1).frame());
                fetch(arm, reader, topic, 0);
                fetch(arm, reader, topic, 1);
                fetch(arm, reader, topic, 2);
                // Above the watermark, though in the log.
                fetch(arm, reader, topic, 3);
                session.poll("session", session.movedOn());
                arm.call(
                        reader,
                        "committed",
                        FetchRequests.version(FetchRequests.NEWEST)
                                .readCommitted()
                                .add(topic, 0, 0)
                                .frame());
            }
            arm.call(
                    reader,
                    "times out",
                    FetchRequests.version(FetchRequests.NEWEST)
                            .minBytes(1, 100)
                            .add(topic, 0, 2)
                            .frame());
        });
        arm.produce(producer, topic, 0, arm.batch(1, 100));
        fetch(arm, reader, topic, 2);
    }

    private static void timedOut(ArmContext arm) throws Exception {
        TopicRef topic = arm.replicatedTopic("t", "min.insync.replicas", "2");
        RawClient client = arm.connect();
        RawClient reader = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        for (int version : new int[] {3, 9, 13}) {
            replicas(arm).whileFollowerIsPaused(() -> {
                for (int i = 0; i < 3; i++) {
                    client.send(produce(arm, topic, version, -1).timeoutMs(100).frame());
                }
                for (int i = 0; i < 3; i++) {
                    arm.transcript().note("v" + version, client.receive());
                }
            });
            arm.produce(client, topic, 0, arm.batch(1, 100));
            fetch(arm, reader, topic, 2);
        }
    }

    /** Hints from version 10 name the new leader and its address: through a proxy, the proxy's address for it. */
    private static void leaderMoved(ArmContext arm) throws Exception {
        TopicRef topic = arm.replicatedTopic("t");
        RawClient former = arm.connect();
        arm.produce(former, topic, 0, arm.batch(2, 100));
        replicas(arm).elect(topic, 2);
        replicas(arm).awaitLeader(topic, 2);
        for (int version : VERSIONS) {
            for (int acks : new int[] {1, -1}) {
                arm.call(
                        former,
                        "former leader v" + version + " acks " + acks,
                        produce(arm, topic, version, acks).frame());
            }
        }
        for (int version : new int[] {12, 16, FetchRequests.NEWEST}) {
            arm.call(
                    former,
                    "fetch from former leader v" + version,
                    FetchRequests.version(version).add(topic, 0, 0).frame());
        }
        RawClient leader = arm.connect(2);
        arm.produce(leader, topic, 0, arm.batch(2, 100));
        fetch(arm, leader, topic, 0);
        replicas(arm).elect(topic, 1);
        replicas(arm).awaitLeader(topic, 1);
        arm.produce(former, topic, 0, arm.batch(1, 100));
        arm.produce(leader, topic, 0, arm.batch(1, 100));
        fetch(arm, former, topic, 0);
    }

    /**
     * A request waits for a paused follower, which becomes leader: the request is refused, and records that the
     * follower never had are truncated.
     */
    private static void leaderMovesMeanwhile(ArmContext arm) throws Exception {
        TopicRef topic = arm.replicatedTopic("t");
        RawClient client = arm.connect();
        RawClient other = arm.connect();
        arm.produce(client, topic, 0, arm.batch(2, 100));
        replicas(arm).whileFollowerIsPaused(() -> {
            client.send(produce(arm, topic, 13, -1).frame());
            replicas(arm).awaitEnd(topic, 3);
            arm.call(other, "acks 1", produce(arm, topic, 13, 1).frame());
            replicas(arm).elect(topic, 2);
            arm.transcript().note("timed out", client.receive());
            arm.call(client, "former leader", produce(arm, topic, 13, 1).frame());
        });
        replicas(arm).awaitLeader(topic, 2);
        RawClient leader = arm.connect(2);
        // The follower may already have fetched the first of the two, so later offsets depend on timing.
        leader.send(produce(arm, topic, 13, -1).frame());
        arm.note("new leader", errorOf(leader.receive()));
        replicas(arm).elect(topic, 1);
        replicas(arm).awaitLeader(topic, 1);
        client.send(produce(arm, topic, 13, -1).frame());
        arm.note("former leader again", errorOf(client.receive()));
        replicas(arm).awaitSameLogs(topic);
        arm.forgetLog(topic);
    }

    private static Errors errorOf(RawResponse response) {
        return Errors.forCode(response.as(ProduceResponseData.class)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)
                .errorCode());
    }

    private static void notEnough(ArmContext arm) throws IOException {
        TopicRef topic = arm.agedTopic();
        RawClient client = arm.connect();
        RawClient reader = arm.connect();
        fetch(arm, reader, topic, 0);
        replicas(arm).withoutFollower(topic);
        for (int version : VERSIONS) {
            arm.call(client, "v" + version, produce(arm, topic, version, -1).frame());
            arm.call(
                    client,
                    "acks 1 v" + version,
                    produce(arm, topic, version, 1).frame());
        }
        client.sendWithoutAnswer(produce(arm, topic, 13, 0).frame());
        arm.call(
                client,
                "behind acks 0",
                produce(arm, topic, 13, -1).timeoutMs(50).frame());
        // The acks=1 records in the log are above the high watermark.
        fetch(arm, reader, topic, 0);
        fetch(arm, reader, topic, 3);
    }

    private static void enoughAgain(ArmContext arm) throws IOException {
        TopicRef topic = arm.agedTopic();
        replicas(arm).withFollower(topic);
        RawClient client = arm.connect();
        for (int version : VERSIONS) {
            arm.call(client, "v" + version, produce(arm, topic, version, -1).frame());
        }
        fetch(arm, client, topic, 0);
    }

    /**
     * A restarted broker remembers only each producer's last batch, so nothing is in flight and that batch is retried.
     */
    private static void restarted(ArmContext arm) throws IOException {
        TopicRef topic = arm.topicOn(List.of(1), "t");
        RetryingProducer producer = new RetryingProducer(arm, topic, BatchText.FIRST_CHOSEN_PRODUCER_ID);
        for (int i = 0; i < 50; i++) {
            producer.send();
        }
        producer.flush();
        arm.restartBroker(topic);
        producer.repeat();
        for (int i = 0; i < 50; i++) {
            producer.send();
        }
        producer.flush();
    }
}
