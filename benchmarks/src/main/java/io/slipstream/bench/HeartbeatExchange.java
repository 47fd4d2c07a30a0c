// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Heartbeats of the members of one group (KIP-848), each on a connection of its own, one at a time in turn. An exchange
 * makes a group and waits until it is stable, so that heartbeats change nothing.
 */
final class HeartbeatExchange implements Exchange {
    static final int MEMBERS = 1_000;
    private static final short VERSION = 1;
    private static final short FIND_VERSION = 3;
    private static final int REBALANCE_MS = 60_000;

    private final String group = "members-" + Uuid.randomUuid();
    private final TopicRef topic;
    private final RawClient[] clients = new RawClient[MEMBERS];
    private final String[] ids = new String[MEMBERS];
    private final int[] epochs = new int[MEMBERS];
    private final RequestFrame[] frames = new RequestFrame[MEMBERS];
    private int next;

    private HeartbeatExchange(TopicRef topic) {
        this.topic = topic;
    }

    static HeartbeatExchange open(InetSocketAddress address, TopicRef topic) throws IOException {
        HeartbeatExchange exchange = new HeartbeatExchange(topic);
        try {
            exchange.join(address);
            return exchange;
        } catch (IOException | RuntimeException e) {
            exchange.close();
            throw e;
        }
    }

    private void join(InetSocketAddress address) throws IOException {
        for (int member = 0; member < MEMBERS; member++) {
            clients[member] = RawClient.connect(address);
            ids[member] = Uuid.randomUuid().toString();
        }
        require(Deadline.after(Patience.ofSeconds(30)).await(() -> hasJoined(0)), "no coordinator");
        for (int member = 1; member < MEMBERS; member++) {
            require(hasJoined(member), "a member cannot join");
        }
        require(Deadline.after(Patience.ofSeconds(60)).await(this::isStable), "the group does not become stable");
        for (int member = 0; member < MEMBERS; member++) {
            frames[member] = RequestFrame.of(VERSION, heartbeat(member));
        }
    }

    private boolean hasJoined(int member) {
        if (member == 0) {
            findCoordinator();
        }
        ConsumerGroupHeartbeatRequestData join = heartbeat(member)
                .setSubscribedTopicNames(List.of(topic.name()))
                .setTopicPartitions(List.of())
                .setRebalanceTimeoutMs(REBALANCE_MS);
        ConsumerGroupHeartbeatResponseData answer = send(member, join);
        epochs[member] = answer.memberEpoch();
        return answer.errorCode() == Errors.NONE.code();
    }

    /** The first request for a coordinator creates its topic. */
    private void findCoordinator() {
        try {
            clients[0].call(FIND_VERSION, new FindCoordinatorRequestData().setKey(group));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether no heartbeat of a whole turn has changed a member's epoch. */
    private boolean isStable() {
        boolean stable = true;
        for (int member = 0; member < MEMBERS; member++) {
            int epoch = send(member, heartbeat(member)).memberEpoch();
            stable &= epoch == epochs[member];
            epochs[member] = epoch;
        }
        return stable;
    }

    private ConsumerGroupHeartbeatResponseData send(int member, ConsumerGroupHeartbeatRequestData request) {
        try {
            return clients[member].call(VERSION, request, ConsumerGroupHeartbeatResponseData.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ConsumerGroupHeartbeatRequestData heartbeat(int member) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(ids[member])
                .setMemberEpoch(epochs[member]);
    }

    @Override
    public void send(int slot) throws IOException {
        clients[next].send(frames[next]);
    }

    @Override
    public int receive() throws IOException {
        ConsumerGroupHeartbeatResponseData answer =
                clients[next].receive().as(ConsumerGroupHeartbeatResponseData.class);
        require(answer.errorCode() == Errors.NONE.code(), "a heartbeat was answered " + answer.errorMessage());
        if (answer.memberEpoch() != epochs[next]) {
            // The coordinator may assign again long after the last member has joined.
            epochs[next] = answer.memberEpoch();
            frames[next] = RequestFrame.of(VERSION, heartbeat(next));
        }
        next = next + 1 == MEMBERS ? 0 : next + 1;
        return 0;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    @Override
    public long recordBytes() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        for (RawClient client : clients) {
            if (client != null) {
                client.close();
            }
        }
    }
}
