// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import kafka.server.FetcherLagStats;
import org.apache.kafka.common.ClientIdAndBroker;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LeaderMetersTest {
    private final MeterRegistry registry = new PluginMeters().registry;
    private final ReplicationMeters meters = new ReplicationMeters(registry);
    private final DrivenLoop loop = new DrivenLoop(() -> {});
    private final List<FetcherLagStats> lags = new ArrayList<>();

    private static FetcherLagStats lag(String clientId) {
        return new FetcherLagStats(new ClientIdAndBroker(clientId, "localhost", 9092));
    }

    /** A fetcher whose partitions lag so much. */
    private Fetcher fetcher(int leader, long... lagRecords) {
        FetcherLagStats stats = lag("fetcher-" + lags.size());
        lags.add(stats);
        for (int i = 0; i < lagRecords.length; i++) {
            stats.getAndMaybePut(new TopicPartition("t", i)).lag_$eq(lagRecords[i]);
        }
        LeaderSession session = new LeaderSession(loop, null, null, leader, 0);
        return new Fetcher(session, "broker-1-fetcher-0", TopicSet.NONE, stats, meters);
    }

    @AfterEach
    void close() {
        lags.forEach(FetcherLagStats::unregister);
        assertThat(loop.tryEnter()).isTrue();
        loop.destroy();
        loop.leave();
    }

    private long value(PluginMeter meter, String... labels) {
        return registry.value(meter, labels);
    }

    private List<List<String>> leaders() {
        return registry.seriesOf(PluginMeter.FOLLOWER_SESSIONS);
    }

    @Test
    void shouldShowALeaderWhileItHasFetchers() {
        assertThat(leaders()).isEmpty();

        Fetcher one = fetcher(2);
        Fetcher other = fetcher(2);
        Fetcher elsewhere = fetcher(3);
        assertThat(leaders()).containsExactlyInAnyOrder(List.of("2"), List.of("3"));

        one.close();
        one.close();
        assertThat(leaders()).contains(List.of("2"));
        other.close();
        assertThat(leaders()).containsExactly(List.of("3"));
        assertThat(registry.scrape()).doesNotContain("leader=\"2\"").contains("leader=\"3\"");
        elsewhere.close();
        assertThat(registry.scrape()).doesNotContain("leader=");
    }

    @Test
    void shouldCountByLeaderAndInTotal() {
        Fetcher fetcher = fetcher(2);
        LeaderMeters ofLeader = meters.join(fetcher, 2);

        ofLeader.fetched(true);
        ofLeader.fetched(false);
        ofLeader.fetched(false);
        ofLeader.fellBack(Fallback.LINK_LOST);
        assertThat(value(PluginMeter.FOLLOWER_FETCHES, "2", "rdma")).isEqualTo(1);
        assertThat(value(PluginMeter.FOLLOWER_FETCHES, "2", "tcp")).isEqualTo(2);
        assertThat(value(PluginMeter.FOLLOWER_FALLBACKS, "2", "link_lost")).isEqualTo(1);

        meters.leave(fetcher, ofLeader);
        fetcher.close();
        assertThat(leaders()).isEmpty();
        assertThat(value(PluginMeter.REPLICATION_FETCHES, "tcp")).as("total").isEqualTo(2);
        assertThat(value(PluginMeter.REPLICATION_FALLBACKS, "link_lost"))
                .as("total")
                .isEqualTo(1);
    }

    @Test
    void shouldShowPartitionsAndTheHighestLag() {
        long startNs = System.nanoTime();
        Fetcher one = fetcher(2, 5, 70, 1);
        Fetcher other = fetcher(2, 60);

        assertThat(value(PluginMeter.FOLLOWER_PARTITIONS, "2", "tcp")).isEqualTo(4);
        assertThat(value(PluginMeter.FOLLOWER_PARTITIONS, "2", "rdma")).isZero();
        assertThat(value(PluginMeter.FOLLOWER_LAG_RECORDS, "2", "tcp")).isEqualTo(70);
        assertThat(value(PluginMeter.FOLLOWER_LAG_RECORDS, "2", "rdma")).isZero();
        assertThat(value(PluginMeter.FOLLOWER_SESSIONS, "2")).isZero();
        await("the age of a Fetch grows")
                .atMost(Duration.ofSeconds(10))
                .until(() -> value(PluginMeter.FOLLOWER_FETCH_AGE_MS, "2") >= 20);
        assertThat(value(PluginMeter.FOLLOWER_FETCH_AGE_MS, "2"))
                .isLessThanOrEqualTo(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));

        one.close();
        assertThat(value(PluginMeter.FOLLOWER_PARTITIONS, "2", "tcp")).isEqualTo(1);
        assertThat(value(PluginMeter.FOLLOWER_LAG_RECORDS, "2", "tcp")).isEqualTo(60);
        other.close();
    }

    /** The last ones share series, so that the number of series is bounded. */
    @Test
    void shouldBoundTheNumberOfSeries() {
        List<Fetcher> fetchers = new ArrayList<>();
        for (int leader = 0; leader < 300; leader++) {
            fetchers.add(fetcher(leader, 1));
        }
        assertThat(registry.seriesOf(PluginMeter.FOLLOWER_FALLBACKS).size()).isLessThan(MeterRegistry.MAX_SERIES);
        int named = leaders().size() - 1;
        assertThat(named).isBetween(40, 60);
        assertThat(value(PluginMeter.FOLLOWER_PARTITIONS, "other", "tcp")).isEqualTo(300 - named);

        fetchers.forEach(Fetcher::close);
        assertThat(leaders()).isEmpty();
    }
}
