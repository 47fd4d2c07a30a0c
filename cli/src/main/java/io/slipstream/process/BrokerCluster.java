// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/**
 * The brokers of one cluster, with node ids 1, 2, …. Each runs in its own process; all share one {@code
 * slipstream.directory}.
 */
public final class BrokerCluster implements AutoCloseable {
    private final TempDirectory slipstreamDirectory = TempDirectory.create("ss-c");
    private final List<BrokerProcess> brokers = new ArrayList<>();

    private BrokerCluster() {}

    /** Starts {@code size} brokers and returns when all serve. {@code each} may adjust every broker's settings. */
    public static BrokerCluster start(BrokerLine line, int size, UnaryOperator<BrokerProcess.Builder> each) {
        return start(line, size, size, each);
    }

    /**
     * As above, but only the first {@code controllers} brokers are also controllers. The other brokers can stop without
     * affecting the quorum.
     */
    public static BrokerCluster start(
            BrokerLine line, int size, int controllers, UnaryOperator<BrokerProcess.Builder> each) {
        return start(nodeId -> line, size, controllers, each);
    }

    /** As above, with brokers of several lines, by node id. The oldest must be that of the first broker. */
    public static BrokerCluster start(
            IntFunction<BrokerLine> lines, int size, int controllers, UnaryOperator<BrokerProcess.Builder> each) {
        BrokerCluster cluster = new BrokerCluster();
        try {
            cluster.startBrokers(lines, size, controllers, each);
            return cluster;
        } catch (RuntimeException failure) {
            cluster.close();
            throw failure;
        }
    }

    private void startBrokers(
            IntFunction<BrokerLine> lines, int size, int controllers, UnaryOperator<BrokerProcess.Builder> each) {
        String clusterId = Uuid.randomUuid().toString();
        int firstPort = Ports.freeRange(2 * size);
        List<BrokerSettings.Voter> voters = new ArrayList<>();
        for (int nodeId = 1; nodeId <= controllers; nodeId++) {
            voters.add(new BrokerSettings.Voter(nodeId, firstPort + size + nodeId - 1));
        }
        for (int nodeId = 1; nodeId <= size; nodeId++) {
            BrokerProcess.Builder builder = BrokerProcess.builder(lines.apply(nodeId))
                    .nodeId(nodeId)
                    .clusterId(clusterId)
                    .port(firstPort + nodeId - 1)
                    .voters(voters)
                    .slipstreamDirectory(slipstreamDirectory.path())
                    .withoutAwaitingService();
            brokers.add(each.apply(builder).start());
        }
        brokers.forEach(BrokerProcess::awaitServing);
    }

    public String bootstrapServers() {
        return brokers.stream().map(BrokerProcess::bootstrapServers).collect(Collectors.joining(","));
    }

    /** Returns the brokers by ascending node id. */
    public List<BrokerProcess> brokers() {
        return List.copyOf(brokers);
    }

    @Override
    public void close() {
        // All begin to stop before one has stopped: the last controller alone has no quorum for a controlled shutdown.
        brokers.stream()
                .filter(BrokerProcess::isAlive)
                .map(BrokerProcess::pid)
                .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy));
        brokers.forEach(BrokerProcess::close);
        slipstreamDirectory.close();
    }
}
