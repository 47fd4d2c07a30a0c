// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.ApiTable;
import io.slipstream.protocol.wire.FrameGuard;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * Replaces broker addresses by proxy addresses in every response that tells clients where to connect. Kafka's own
 * classes decode it and write it, unknown tagged fields included. A response without an endpoint is returned as the
 * same buffer. Those of Produce and Fetch have their endpoints in a tagged field, and rarely any. The walk that finds
 * this out allocates nothing.
 *
 * <p>Brokers that clients cannot reach through the proxy are taken out. The answer is the one that a broker gives while
 * those brokers are down: clients ask again.
 *
 * <p>These stay unchanged: node id -1 and empty hosts (no such node), controller endpoints in DescribeCluster (the
 * proxy does not serve clients that bootstrap from controllers), and unknown APIs and versions. A test classifies each
 * field of each response as a broker address or not. Not thread-safe.
 */
public final class ResponseRewriter {
    /** By API key: the first version whose responses carry broker addresses. */
    private static final short[] FIRST_VERSIONS = firstVersions();

    private static final byte CONTROLLERS = 2;

    private final FrameGuard guard = new FrameGuard();
    private final AddressMap addresses;

    public ResponseRewriter(AddressMap addresses) {
        this.addresses = addresses;
    }

    private static short[] firstVersions() {
        short[] first = new short[ApiKeys.SHARE_ACKNOWLEDGE.id + 1];
        Arrays.fill(first, Short.MAX_VALUE);
        first[ApiKeys.METADATA.id] = 0;
        first[ApiKeys.FIND_COORDINATOR.id] = 0;
        first[ApiKeys.DESCRIBE_CLUSTER.id] = 0;
        first[ApiKeys.PRODUCE.id] = 10;
        first[ApiKeys.FETCH.id] = 16;
        first[ApiKeys.SHARE_FETCH.id] = 0;
        first[ApiKeys.SHARE_ACKNOWLEDGE.id] = 0;
        return first;
    }

    /** Whether responses of that API and version may need rewriting; if not, they can be forwarded without a look. */
    public static boolean isRewritten(short apiKey, short version) {
        return apiKey >= 0
                && apiKey < FIRST_VERSIONS.length
                && version >= FIRST_VERSIONS[apiKey]
                && version <= ApiTable.highestVersion(apiKey);
    }

    /**
     * @param response from its header on, without the size field, between position and limit, big-endian; not changed
     * @return the same buffer if nothing changes, else a new heap buffer with the whole rewritten frame
     * @throws IllegalArgumentException if the frame is malformed; it must not be sent, for it may name brokers
     */
    public ByteBuffer rewrite(ByteBuffer response, short apiKey, short version) {
        if (!isRewritten(apiKey, version)) {
            return response;
        }
        ApiKeys api = ApiKeys.forId(apiKey);
        if (!guard.acceptsResponse(response, apiKey, version)) {
            throw malformed(response, api, version, null);
        }
        boolean isTagged = api == ApiKeys.PRODUCE || api == ApiKeys.FETCH;
        if (isTagged && !guard.hasTags) {
            return response;
        }
        try {
            return api == ApiKeys.METADATA ? metadata(response, version) : whole(response, api, version);
        } catch (RuntimeException e) {
            throw malformed(response, api, version, e);
        }
    }

    private static IllegalArgumentException malformed(
            ByteBuffer response, ApiKeys api, short version, RuntimeException cause) {
        return new IllegalArgumentException(
                "malformed response to " + api + " version " + version + ", " + response.remaining() + " bytes", cause);
    }

    private ByteBuffer metadata(ByteBuffer response, short version) {
        MetadataHead head = MetadataHead.read(response, version);
        if (!learn(head.data())) {
            return response;
        }
        Set<Integer> unserved = new HashSet<>();
        boolean changed = move(head.data(), unserved);
        if (!unserved.isEmpty()) {
            return whole(response, ApiKeys.METADATA, version);
        }
        return changed ? head.spliced(response, version) : response;
    }

    private ByteBuffer whole(ByteBuffer response, ApiKeys api, short version) {
        ByteBufferAccessor in = new ByteBufferAccessor(response.duplicate());
        new ResponseHeaderData(in, api.responseHeaderVersion(version));
        ByteBuffer header = response.duplicate().limit(in.buffer().position());
        ApiMessage body = api.messageType.newResponse();
        body.read(in, version);
        if (api != ApiKeys.METADATA && !learn(body)) {
            return response;
        }
        Set<Integer> unserved = new HashSet<>();
        boolean changed = move(body, unserved);
        if (body instanceof MetadataResponseData metadata) {
            NamedBrokers.omitLeaders(metadata, unserved);
        }
        if (!changed) {
            return response;
        }
        ByteBuffer written = MessageUtil.toByteBufferAccessor(body, version).buffer();
        return ByteBuffer.allocate(header.remaining() + written.remaining())
                .put(header)
                .put(written)
                .flip();
    }

    /** Passes the brokers on. Returns false if the response names none. */
    private boolean learn(ApiMessage body) {
        if (body instanceof DescribeClusterResponseData cluster && cluster.endpointType() == CONTROLLERS) {
            return false;
        }
        List<Topology.Broker> named = new ArrayList<>();
        NamedBrokers.visit(body, (nodeId, host, port, newHost, newPort) -> {
            named.add(new Topology.Broker(nodeId, host, port));
            return true;
        });
        if (named.isEmpty()) {
            return false;
        } else if (body instanceof MetadataResponseData metadata) {
            addresses.learn(new Topology(named, true, metadata.clusterId()));
        } else if (body instanceof DescribeClusterResponseData cluster) {
            addresses.learn(new Topology(named, true, cluster.clusterId()));
        } else {
            addresses.learn(new Topology(named, false, null));
        }
        return true;
    }

    /**
     * Gives the brokers their addresses at the proxy, and takes out those that have none.
     *
     * @return whether anything changed
     */
    private boolean move(ApiMessage body, Set<Integer> unserved) {
        boolean[] changed = new boolean[1];
        NamedBrokers.visit(body, (nodeId, host, port, newHost, newPort) -> {
            int portHere = addresses.port(nodeId);
            if (portHere == 0) {
                unserved.add(nodeId);
                changed[0] = true;
                return false;
            }
            String hostHere = addresses.host(nodeId);
            changed[0] |= port != portHere || !host.equals(hostHere);
            newHost.accept(hostHere);
            newPort.accept(portHere);
            return true;
        });
        return changed[0];
    }
}
