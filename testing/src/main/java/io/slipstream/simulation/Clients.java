// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.slipstream.simulation.broker.Batch;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.client.Consumer;
import io.slipstream.simulation.client.Producer;
import io.slipstream.simulation.client.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;

/** All producers and consumers of a run. */
final class Clients {
    private final World world;
    private final Cluster cluster;
    private final Supplier<Proxy> proxies;
    private final List<Producer> producers = new ArrayList<>();
    private final List<Consumer> consumers = new ArrayList<>();

    /** @param proxies supplies the living proxy, null while there is none */
    Clients(World world, Cluster cluster, Supplier<Proxy> proxies) {
        this.world = world;
        this.cluster = cluster;
        this.proxies = proxies;
    }

    void start(Scenario scenario) {
        Producer.Numbers numbers = new Producer.Numbers(new int[] {1, 1}, new HashMap<>());
        cluster.all().forEach(broker -> broker.sentFrames(numbers.sent()::get));
        int id = 0;
        for (Scenario.ProducerPlan plan : scenario.producers()) {
            producers.add(producer(plan, scenario.segmentBytes(), ++id, numbers));
        }
        for (Scenario.ConsumerPlan plan : scenario.consumers()) {
            consumers.add(new Consumer(
                    world, cluster.leading(plan.partitions().get(0)), proxies, numbers, plan, bounds(scenario)));
        }
        producers.forEach(Producer::start);
        consumers.forEach(Consumer::start);
    }

    private Producer producer(Scenario.ProducerPlan plan, int segmentBytes, int id, Producer.Numbers numbers) {
        // A broker refuses batches that are larger than a segment.
        int mostValueBytes = Math.min(plan.mostValueBytes(), segmentBytes - Batch.HEADER_BYTES);
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < plan.batches(); i++) {
            batches.add(Batch.of(id, plan.partition(), i, 1 + world.random(3), 1 + world.random(mostValueBytes)));
        }
        String principal = Scenario.PRINCIPALS.get(id % Scenario.PRINCIPALS.size());
        return new Producer(
                world,
                cluster.leading(plan.partition()),
                proxies,
                numbers,
                principal,
                id,
                plan.acks(),
                plan.inFlight(),
                plan.thinkNs(),
                batches);
    }

    private static Consumer.Bounds bounds(Scenario scenario) {
        long leaseNs = scenario.leaseMs() * 1_000_000L;
        long slackNs = scenario.wireFactor() == 1 ? 2_000_000 : 30_000_000;
        // The plugin asks the authorizer once in a lease.
        long deniedNs = leaseNs + slackNs + 2 * scenario.stoppedNs();
        return new Consumer.Bounds(leaseNs, leaseNs + slackNs, deniedNs, scenario.isCalm());
    }

    boolean areDone() {
        return producers.stream().allMatch(Producer::isDone)
                && cluster.all().stream().allMatch(Partitions::areCommitted)
                && consumers.stream().allMatch(Consumer::isDone);
    }

    String progress() {
        return producers.stream().filter(Producer::isDone).count() + " of " + producers.size() + " producers and "
                + consumers.stream().filter(Consumer::isDone).count() + " of " + consumers.size()
                + " consumers are done";
    }

    /** @param index counts producers first */
    void disconnect(int index) {
        if (index < producers.size()) {
            producers.get(index).disconnect();
        } else {
            consumers.get(index - producers.size()).disconnect();
        }
    }

    void close() {
        producers.forEach(Producer::close);
        consumers.forEach(Consumer::close);
    }

    /** Checks the logs at the end, when the broker's log no longer changes. */
    void checkLogs() {
        producers.forEach(Producer::checkLog);
    }

    int acknowledged() {
        return producers.stream().mapToInt(Producer::acknowledgedCount).sum();
    }

    int byRdma() {
        return producers.stream().mapToInt(Producer::byRdma).sum()
                + consumers.stream().mapToInt(Consumer::byRdma).sum();
    }

    long batchesByRdma() {
        return consumers.stream().mapToLong(Consumer::batchesByRdma).sum();
    }
}
