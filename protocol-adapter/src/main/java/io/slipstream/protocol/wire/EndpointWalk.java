// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the structs of a node id, a host and a port in a response by a walk over its schema. Skips all other fields,
 * records included, without reading them. Positions are indices in the frame's buffer. Not thread-safe.
 */
public final class EndpointWalk {
    private final WireCursor cursor = new WireCursor();
    /** In byte order. */
    public final List<Endpoint> endpoints = new ArrayList<>();
    /** Number of tagged fields whose values may have endpoints, and the place of the last one. */
    public int tags;

    public int tagSizePosition;
    public int tagValuePosition;
    public int tagSize;
    public int clusterIdPosition;
    /** -1 if there is none. */
    public int clusterIdLength;
    /** Type in DescribeCluster: 1 brokers, 2 controllers; else 0. */
    public byte endpointType;

    private boolean inTag;

    /** Whether responses to that API and version may carry endpoints. */
    public static boolean mayCarryEndpoints(short apiKey, short version) {
        WireType body = ApiTable.response(apiKey, version);
        return body != null && body.holdsEndpoints;
    }

    /**
     * Walks a response (from its header on, without the size) between the buffer's position and limit.
     *
     * @return false if the API or version is unknown or the frame malformed; what was found is then invalid
     */
    public boolean walk(ByteBuffer frame, short apiKey, short version) {
        endpoints.clear();
        inTag = false;
        tags = 0;
        clusterIdLength = -1;
        endpointType = 0;
        byte headerVersion = ApiTable.responseHeaderVersion(apiKey, version);
        if (headerVersion == ApiTable.UNKNOWN) {
            return false;
        }
        cursor.wrap(frame, frame.position(), frame.limit(), false);
        ApiTable.responseHeader(headerVersion).skip(cursor);
        ApiTable.response(apiKey, version).endpoints(cursor, this);
        return !cursor.failed();
    }

    void add(int nodeId, int hostField, int host, int hostLength, boolean compact, int port) {
        endpoints.add(new Endpoint(nodeId, hostField, host, hostLength, compact, port, inTag));
    }

    /** The next endpoints are in the value of a tagged field, whose size (a varint) is at {@code sizePosition}. */
    void enterTag(int sizePosition, int valuePosition, int sizeBytes) {
        inTag = true;
        tags++;
        tagSizePosition = sizePosition;
        tagValuePosition = valuePosition;
        tagSize = sizeBytes;
    }

    void exitTag() {
        inTag = false;
    }
}
