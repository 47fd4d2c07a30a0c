// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.Endpoint;
import io.slipstream.protocol.wire.EndpointWalk;
import io.slipstream.protocol.wire.Varints;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Replaces broker addresses by proxy addresses in every response that tells clients where to connect. Only hosts, ports
 * and the lengths around them change. All other bytes are copied unchanged, including unknown tagged fields and
 * records. A response without an endpoint is returned as the same buffer; the walk over its lengths allocates nothing.
 * {@link UnservedBrokers} first takes brokers out that the proxy does not serve.
 *
 * <p>These stay unchanged: node id -1 and empty hosts (no such node), controller endpoints in DescribeCluster (the
 * proxy does not serve clients that bootstrap from controllers), and unknown APIs and versions. A test classifies each
 * field of each response as a broker address or not. Not thread-safe.
 */
public final class ResponseRewriter {
    /** The APIs whose responses carry broker addresses. */
    public static final Set<ApiKeys> REWRITTEN = Set.of(
            ApiKeys.METADATA,
            ApiKeys.FIND_COORDINATOR,
            ApiKeys.DESCRIBE_CLUSTER,
            ApiKeys.PRODUCE,
            ApiKeys.FETCH,
            ApiKeys.SHARE_FETCH,
            ApiKeys.SHARE_ACKNOWLEDGE);

    private static final BitSet REWRITTEN_KEYS = new BitSet();

    static {
        REWRITTEN.forEach(api -> REWRITTEN_KEYS.set(api.id));
    }

    private static final byte CONTROLLERS = 2;

    private final EndpointWalk walk = new EndpointWalk();
    private final List<Place> nodes = new ArrayList<>();
    private final AddressMap addresses;

    public ResponseRewriter(AddressMap addresses) {
        this.addresses = addresses;
    }

    /** Whether responses of that API and version may need rewriting; if not, they can be forwarded without a walk. */
    public static boolean isRewritten(short apiKey, short version) {
        return apiKey >= 0 && REWRITTEN_KEYS.get(apiKey) && EndpointWalk.mayCarryEndpoints(apiKey, version);
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
        find(response, apiKey, version);
        if (nodes.isEmpty() || walk.endpointType == CONTROLLERS) {
            return response;
        }
        List<Topology.Broker> brokers =
                nodes.stream().map(node -> node.broker(response)).toList();
        boolean complete = apiKey == ApiKeys.METADATA.id || apiKey == ApiKeys.DESCRIBE_CLUSTER.id;
        addresses.learn(new Topology(brokers, complete, clusterId(response)));
        Set<Integer> unserved = locate();
        if (unserved.isEmpty()) {
            return splice(response);
        }
        ByteBuffer served = UnservedBrokers.omit(response, apiKey, version, unserved);
        find(served, apiKey, version);
        if (!locate().isEmpty()) {
            throw new IllegalStateException("a broker lost its port while a response was rewritten");
        }
        return splice(served);
    }

    private void find(ByteBuffer response, short apiKey, short version) {
        nodes.clear();
        if (!walk.walk(response, apiKey, version) || walk.tags > 1) {
            throw new IllegalArgumentException("malformed response to API " + apiKey + " version " + version + ", "
                    + response.remaining() + " bytes");
        }
        // By index, because an iterator is an allocation for each response without endpoints.
        for (int i = 0; i < walk.endpoints.size(); i++) {
            Endpoint endpoint = walk.endpoints.get(i);
            if (endpoint.nodeId() >= 0 && endpoint.hostLength() > 0) {
                nodes.add(new Place(endpoint));
            }
        }
    }

    private String clusterId(ByteBuffer response) {
        return walk.clusterIdLength < 0 ? null : string(response, walk.clusterIdPosition, walk.clusterIdLength);
    }

    /** Takes the new ports; returns the brokers that have none. */
    private Set<Integer> locate() {
        Set<Integer> unserved = new HashSet<>();
        for (Place node : nodes) {
            node.newPort = addresses.port(node.at.nodeId());
            if (node.newPort == 0) {
                unserved.add(node.at.nodeId());
            }
        }
        return unserved;
    }

    private ByteBuffer splice(ByteBuffer response) {
        int growth = 0;
        int tagGrowth = 0;
        boolean tagged = false;
        boolean changed = false;
        for (Place place : nodes) {
            changed |= place.readdress(response, addresses);
            tagged |= place.at.inTag();
            growth += place.growth();
            tagGrowth += place.at.inTag() ? place.growth() : 0;
        }
        if (!changed) {
            return response;
        }
        int newTagSize = walk.tagSize + tagGrowth;
        if (tagged) {
            growth += Varints.sizeOfUnsigned(newTagSize) - (walk.tagValuePosition - walk.tagSizePosition);
        }
        ByteBuffer out = ByteBuffer.allocate(response.remaining() + growth);
        int copied = response.position();
        for (Place place : nodes) {
            if (place.at.inTag() && copied <= walk.tagSizePosition) {
                copy(response, copied, walk.tagSizePosition, out);
                Varints.writeUnsigned(out, newTagSize);
                copied = walk.tagValuePosition;
            }
            if (place.newHost != null) {
                copy(response, copied, place.at.hostField(), out);
                place.writeHost(out);
                copy(response, place.at.host() + place.at.hostLength(), place.at.port(), out);
                out.putInt(place.newPort);
                copied = place.at.port() + Integer.BYTES;
            }
        }
        copy(response, copied, response.limit(), out);
        return out.flip();
    }

    private static void copy(ByteBuffer from, int start, int end, ByteBuffer to) {
        to.put(to.position(), from, start, end - start);
        to.position(to.position() + end - start);
    }

    private static String string(ByteBuffer buffer, int position, int length) {
        byte[] bytes = new byte[length];
        buffer.get(position, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** One broker of the response and its new address. */
    private static final class Place {
        final Endpoint at;
        byte[] newHost;
        int newPort;

        Place(Endpoint at) {
            this.at = at;
        }

        Topology.Broker broker(ByteBuffer response) {
            return new Topology.Broker(
                    at.nodeId(), string(response, at.host(), at.hostLength()), response.getInt(at.port()));
        }

        /** Sets the new address; false if the address stays. */
        boolean readdress(ByteBuffer response, AddressMap addresses) {
            String to = addresses.host(at.nodeId());
            if (newPort == response.getInt(at.port()) && to.equals(string(response, at.host(), at.hostLength()))) {
                return false;
            }
            newHost = to.getBytes(StandardCharsets.UTF_8);
            return true;
        }

        int growth() {
            if (newHost == null) {
                return 0;
            }
            int lengthBytes = at.compact() ? Varints.sizeOfUnsigned(newHost.length + 1) : Short.BYTES;
            return lengthBytes + newHost.length - (at.host() - at.hostField() + at.hostLength());
        }

        void writeHost(ByteBuffer out) {
            if (at.compact()) {
                Varints.writeUnsigned(out, newHost.length + 1);
            } else {
                out.putShort((short) newHost.length);
            }
            out.put(newHost);
        }
    }
}
