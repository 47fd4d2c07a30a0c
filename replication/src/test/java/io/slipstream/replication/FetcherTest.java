// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fetches over a link that stays. */
@Timeout(60)
class FetcherTest extends FollowerFixture {
    @Test
    void shouldReturnTheLeadersAnswer() {
        ClientResponse first = awaitRdma();
        long byRdma = fetches("rdma");
        long byTcp = fetches("tcp");

        ClientResponse second = fetch();

        assertThat(LeaderLog.number(first)).isZero();
        assertThat(LeaderLog.number(second)).isEqualTo(1);
        assertThat(second.requestHeader().correlationId())
                .isEqualTo(first.requestHeader().correlationId() + 1);
        assertThat(second.requestHeader().clientId()).isEqualTo("broker-1-fetcher-0");
        assertThat(second.wasDisconnected()).isFalse();
        assertThat(second.destination()).isEqualTo("7");
        assertThat(fetches("rdma")).isEqualTo(byRdma + 1);
        assertThat(fetches("tcp")).isEqualTo(byTcp);
        assertThat(meters.get(PluginMeter.REPLICATION_BYTES)).isGreaterThan(2_000);
        assertThat(meters.registry.value(PluginMeter.FOLLOWER_FETCHES, "7", "rdma"))
                .isEqualTo(byRdma + 1);
        assertThat(meters.registry.value(PluginMeter.FOLLOWER_SESSIONS, "7")).isEqualTo(1);
    }

    /** Kafka appends records later, when the memory of their answer serves other answers. */
    @Test
    void shouldKeepTheRecordsOfEarlierAnswers() {
        List<ClientResponse> answers = new ArrayList<>(List.of(awaitRdma()));
        for (int i = 1; i < 200; i++) {
            answers.add(fetch());
        }

        assertThat(answers).extracting(LeaderLog::number).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldNotTakeTheAnswerToAnotherRequest() {
        awaitRdma();
        log.correlationShift.set(-1);

        assertThat(fetch()).isNull();

        assertThat(fallbacks(Fallback.UNREADABLE)).isEqualTo(1);
        assertThat(sender.nonces).hasValue(1);
        awaitRdma();
        assertThat(sender.nonces).as("bindings").hasValue(2);
        awaitSessions(1);
    }

    /** The request goes over TCP, and its late answer is dropped. */
    @Test
    void shouldNotWaitLongerThanTheLeaderMay() {
        awaitRdma();
        plugin.withhold(true);
        long startNs = System.nanoTime();

        assertThat(fetch()).isNull();

        assertThat(System.nanoTime() - startNs).isBetween(TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(20));
        assertThat(fallbacks(Fallback.TIMED_OUT)).isEqualTo(1);
        awaitSessions(0);
        plugin.withhold(false);
        assertThat(LeaderLog.number(awaitRdma())).as("not the late answer").isEqualTo(2);
    }

    /** They come in parts, which TCP does at less cost. */
    @Test
    void shouldUseTcpForAWhileAfterALargeAnswer() {
        awaitRdma();
        log.valueBytes = 100_000;
        await().atMost(PATIENCE).pollInSameThread().until(() -> fetch() != null && fetch() == null);

        log.valueBytes = 1_000;
        awaitRdma();
        assertThat(fetch()).as("a small answer has no consequence").isNotNull();
        for (Fallback reason : Fallback.values()) {
            assertThat(fallbacks(reason)).as("%s", reason).isZero();
        }
        assertThat(sender.nonces).as("bindings").hasValue(1);
    }

    /** As when its authentication expires. */
    @Test
    void shouldBindAgainWhenItsConnectionEnds() {
        awaitRdma();
        plugin.disconnect("first");
        awaitSessions(0);
        sender.connection = "second";

        assertThat(fetch()).isNull();

        assertThat(fallbacks(Fallback.REFUSED)).isEqualTo(1);
        awaitRdma();
        awaitSessions(1);
    }

    @Test
    void shouldEndItsSessionAndItsFetchWhenClosed() throws Exception {
        awaitRdma();
        awaitSessions(1);
        long landed = plugin.meters.get(PluginMeter.REQUESTS_LANDED);
        plugin.withhold(true);
        CompletableFuture<ClientResponse> fetch = CompletableFuture.supplyAsync(this::fetch);
        await().atMost(PATIENCE).until(() -> plugin.meters.get(PluginMeter.REQUESTS_LANDED) > landed);

        fetcher.close();

        assertThat(fetch.get(AT_ONCE.toMillis(), TimeUnit.MILLISECONDS)).isNull();
        awaitSessions(0);
        assertThat(fetch()).isNull();
        for (Fallback reason : Fallback.values()) {
            assertThat(fallbacks(reason)).as("%s", reason).isZero();
        }
    }

    /** The other fetchers of the leader keep theirs. */
    @Test
    void shouldShareTheLinkOfTheLeader() {
        ScriptedSender second = new ScriptedSender(plugin);
        second.connection = "second";
        Fetcher other = fetcher(TopicSet.NONE, "127.0.0.1", second);
        awaitRdma();
        await().atMost(PATIENCE).pollInSameThread().until(() -> other.send(LeaderLog.fetch("t")) != null);
        awaitSessions(2);
        assertThat(meters.get(PluginMeter.REPLICATION_LINKS)).isEqualTo(1);

        other.close();

        awaitSessions(1);
        assertThat(fetch()).isNotNull();
    }

    @Test
    void shouldSendRequestsThatAreTooLargeOverTcp() {
        awaitRdma();
        Map<TopicPartition, FetchRequest.PartitionData> many = new HashMap<>();
        for (int i = 0; i < 4_000; i++) {
            many.put(
                    new TopicPartition("t" + i, 0),
                    new FetchRequest.PartitionData(new Uuid(2, i), 0, 0, 1, Optional.empty()));
        }

        assertThat(fetcher.send(FetchRequest.Builder.forReplica((short) 17, 1, 1, 0, 1, many)))
                .isNull();

        assertThat(fallbacks(Fallback.RING_FULL)).isEqualTo(1);
        assertThat(fetch()).isNotNull();
    }

    /** A topic is in the fetch session from the request that names it until the next full one. */
    @Test
    void shouldLeaveSessionsWithExcludedTopicsToTcp() {
        fetcher = fetcher(new TopicSet(Set.of("private"), Set.of()));
        awaitRdma();
        FetchMetadata next = new FetchMetadata(9, 2);

        assertThat(fetcher.send(LeaderLog.fetch("private").metadata(next))).isNull();
        assertThat(fetcher.send(LeaderLog.fetch("t").metadata(next))).isNull();
        assertThat(fetcher.send(LeaderLog.fetch("t").metadata(FetchMetadata.INITIAL)))
                .isNotNull();
        assertThat(fetcher.send(LeaderLog.fetch("t").metadata(next))).isNotNull();
    }

    /** What the leader reads is what Kafka's own sender would have sent. */
    @Test
    void shouldSendTheRequestUnchanged() {
        awaitRdma();
        ByteBuffer[] seen = new ByteBuffer[1];
        log.beforeAnswer = request -> seen[0] = request.duplicate();
        FetchRequest.Builder builder = LeaderLog.fetch("t");

        ClientResponse answer = fetcher.send(builder);

        assertThat(seen[0])
                .isEqualTo(builder.build(builder.latestAllowedVersion()).serializeWithHeader(answer.requestHeader()));
    }
}
