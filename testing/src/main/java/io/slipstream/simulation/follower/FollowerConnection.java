// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.follower;

import io.slipstream.protocol.control.NonceField;
import io.slipstream.replication.LeaderConnection;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.Broker;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.broker.Replicas;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;

/** Kafka's own connection of a fetcher to its leader, over TCP. It connects again when it is needed. */
final class FollowerConnection implements LeaderConnection {
    private static final String PRINCIPAL = "User:broker";
    private static final int LOST_ONE_IN = 50;
    private static final long LOOK_NS = 1_000_000;

    private final World world;
    private final Host host;
    private final Partitions leader;
    private final Replicas replicas;
    /** The leader's process at the other end; null without a connection. */
    private Broker peer;

    private int number;
    /** Counts the requests, so that a late answer of an earlier one is dropped. */
    private int requests;

    FollowerConnection(World world, Host host, Partitions leader, Replicas replicas) {
        this.world = world;
        this.host = host;
        this.leader = leader;
        this.replicas = replicas;
    }

    /** Returns the leader's process, null if it is dead. */
    private Broker connect() {
        if (peer != null && peer != leader.broker()) {
            peer = null;
        }
        if (peer == null && leader.broker().host().isAlive()) {
            peer = leader.broker();
            number = replicas.newConnection();
            leader.rights().authenticated(number, PRINCIPAL);
        }
        return peer != null && peer.host().isAlive() ? peer : null;
    }

    /** The exchange takes no time here; a leader that is stopped counts as lost. */
    @Override
    public ClientResponse sendRequest(AbstractRequest.Builder<? extends AbstractRequest> request) {
        Broker now = connect();
        if (now == null || !leader.isAtWork() || replicas.losesByChance(LOST_ONE_IN)) {
            end();
            throw new DisconnectException("the leader does not answer");
        }
        ApiVersionsRequest shown = (ApiVersionsRequest) request.build();
        now.onApiVersions(number, NonceField.in(shown.data().unknownTaggedFields()));
        if (replicas.losesByChance(LOST_ONE_IN)) {
            end();
            throw new DisconnectException("the answer is lost");
        }
        return new ClientResponse(
                null, null, "", 0, 0, false, null, null, new ApiVersionsResponse(new ApiVersionsResponseData()));
    }

    /** Sends a Fetch; the answer is null if the connection is lost. */
    void fetch(ByteBuffer request, Consumer<byte[]> then) {
        int thisRequest = ++requests;
        Broker now = connect();
        if (now == null) {
            world.after(LOOK_NS, host, () -> then.accept(null));
            return;
        }
        world.after(
                Delays.local(world),
                now.host(),
                () -> now.fetch(
                        request,
                        answer -> world.after(Delays.local(world), host, () -> answered(thisRequest, answer, then))));
        look(thisRequest, now, then);
    }

    private void answered(int ofRequest, byte[] answer, Consumer<byte[]> then) {
        if (ofRequest == requests) {
            requests++;
            then.accept(answer);
        }
    }

    private void look(int ofRequest, Broker asked, Consumer<byte[]> then) {
        world.after(LOOK_NS, host, () -> {
            if (ofRequest == requests && asked.host().isAlive() && peer == asked) {
                look(ofRequest, asked, then);
            } else {
                answered(ofRequest, null, then);
            }
        });
    }

    /** The connection ends, and the leader learns of it. */
    void end() {
        Broker former = peer;
        int ended = number;
        peer = null;
        if (former != null) {
            world.after(Delays.local(world), former.host(), () -> former.onDisconnect(ended));
        }
    }
}
