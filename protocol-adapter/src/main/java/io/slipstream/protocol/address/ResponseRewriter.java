// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import io.slipstream.protocol.wire.Endpoint;
import io.slipstream.protocol.wire.EndpointSink;
import io.slipstream.protocol.wire.EndpointWalk;
import io.slipstream.protocol.wire.Varints;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

    private static final boolean[] REWRITTEN_KEYS = keys();
    private static final byte CONTROLLERS = 2;

    private final EndpointWalk walk = new EndpointWalk();
    private final Found found = new Found();
    private final AddressMap addresses;

    public ResponseRewriter(AddressMap addresses) {
        this.addresses = addresses;
    }

    /** Whether responses of that API and version may need rewriting; if not, they can be forwarded without a walk. */
    public static boolean isRewritten(short apiKey, short version) {
        return apiKey >= 0
                && apiKey < REWRITTEN_KEYS.length
                && REWRITTEN_KEYS[apiKey]
                && EndpointWalk.mayCarryEndpoints(apiKey, version);
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
        if (found.endpoints.isEmpty() || found.endpointType == CONTROLLERS) {
            return response;
        }
        boolean complete = apiKey == ApiKeys.METADATA.id || apiKey == ApiKeys.DESCRIBE_CLUSTER.id;
        List<Topology.Broker> brokers = found.brokers(response);
        if (brokers.isEmpty()) {
            return response;
        }
        addresses.learn(new Topology(brokers, complete, found.clusterId(response)));
        Set<Integer> unserved = found.locate(addresses);
        if (unserved.isEmpty()) {
            return splice(response);
        }
        ByteBuffer served = UnservedBrokers.omit(response, apiKey, version, unserved);
        find(served, apiKey, version);
        if (!found.locate(addresses).isEmpty()) {
            throw new IllegalStateException("a broker lost its port while a response was rewritten");
        }
        return splice(served);
    }

    private void find(ByteBuffer response, short apiKey, short version) {
        found.clear();
        if (!walk.walk(response, apiKey, version, found) || found.tags > 1) {
            throw new IllegalArgumentException("malformed response to API " + apiKey + " version " + version + ", "
                    + response.remaining() + " bytes");
        }
    }

    private ByteBuffer splice(ByteBuffer response) {
        int growth = 0;
        int tagGrowth = 0;
        boolean changed = false;
        for (Place place : found.endpoints) {
            changed |= place.readdress(response, addresses);
            growth += place.growth();
            tagGrowth += place.inTag ? place.growth() : 0;
        }
        if (!changed) {
            return response;
        }
        int newTagSize = found.tagSize + tagGrowth;
        if (found.tagSizePosition >= 0) {
            growth += Varints.sizeOfUnsigned(newTagSize) - (found.tagValuePosition - found.tagSizePosition);
        }
        ByteBuffer out = ByteBuffer.allocate(response.remaining() + growth);
        int copied = response.position();
        for (Place place : found.endpoints) {
            if (place.inTag && copied <= found.tagSizePosition) {
                copy(response, copied, found.tagSizePosition, out);
                Varints.writeUnsigned(out, newTagSize);
                copied = found.tagValuePosition;
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

    private static boolean[] keys() {
        boolean[] keys =
                new boolean[1 + REWRITTEN.stream().mapToInt(api -> api.id).max().orElseThrow()];
        REWRITTEN.forEach(api -> keys[api.id] = true);
        return keys;
    }

    private static String string(ByteBuffer buffer, int position, int length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        buffer.get(position, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** One endpoint of the response and its new address. */
    private static final class Place {
        final Endpoint at;
        final boolean inTag;
        byte[] newHost;
        int newPort;

        Place(Endpoint at, boolean inTag) {
            this.at = at;
            this.inTag = inTag;
        }

        boolean isNode() {
            return at.nodeId() >= 0 && at.hostLength() > 0;
        }

        /** Sets the new address; false if the address stays. */
        boolean readdress(ByteBuffer response, AddressMap addresses) {
            if (!isNode()) {
                return false;
            }
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

    /** The endpoints of a response. A valid response has them in at most one tagged field. */
    private static final class Found implements EndpointSink {
        final List<Place> endpoints = new ArrayList<>();
        boolean inTag;
        int tags;
        int tagSizePosition;
        int tagValuePosition;
        int tagSize;
        int clusterIdPosition;
        int clusterIdLength;
        byte endpointType;

        void clear() {
            endpoints.clear();
            inTag = false;
            tags = 0;
            tagSizePosition = -1;
            tagSize = 0;
            clusterIdLength = -1;
            endpointType = 0;
        }

        /** Takes the new ports; returns the brokers that have none. */
        Set<Integer> locate(AddressMap addresses) {
            Set<Integer> unserved = new HashSet<>();
            for (Place place : endpoints) {
                if (place.isNode()) {
                    place.newPort = addresses.port(place.at.nodeId());
                    if (place.newPort == 0) {
                        unserved.add(place.at.nodeId());
                    }
                }
            }
            return unserved;
        }

        List<Topology.Broker> brokers(ByteBuffer response) {
            List<Topology.Broker> brokers = new ArrayList<>(endpoints.size());
            for (Place place : endpoints) {
                if (place.isNode()) {
                    Endpoint e = place.at;
                    brokers.add(new Topology.Broker(
                            e.nodeId(), string(response, e.host(), e.hostLength()), response.getInt(e.port())));
                }
            }
            return brokers;
        }

        String clusterId(ByteBuffer response) {
            return string(response, clusterIdPosition, clusterIdLength);
        }

        @Override
        public void endpoint(Endpoint endpoint) {
            endpoints.add(new Place(endpoint, inTag));
        }

        @Override
        public void enterTag(int sizePosition, int valuePosition, int sizeBytes) {
            inTag = true;
            tags++;
            tagSizePosition = sizePosition;
            tagValuePosition = valuePosition;
            tagSize = sizeBytes;
        }

        @Override
        public void exitTag() {
            inTag = false;
        }

        @Override
        public void clusterId(int position, int length) {
            clusterIdPosition = position;
            clusterIdLength = length;
        }

        @Override
        public void endpointType(byte type) {
            endpointType = type;
        }
    }
}
