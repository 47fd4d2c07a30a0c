// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;

/**
 * Finds the structs of a node id, a host and a port in a response by a walk over its schema. Skips all other fields,
 * records included, without reading them. Not thread-safe.
 */
public final class EndpointWalk {
    private final WireCursor cursor = new WireCursor();

    /** Whether responses to that API and version may carry endpoints. */
    public static boolean mayCarryEndpoints(short apiKey, short version) {
        WireType body = ApiTable.response(apiKey, version);
        return body != null && body.holdsEndpoints;
    }

    /**
     * Walks a response (from its header on, without the size) between the buffer's position and limit.
     *
     * @return false if the API or version is unknown or the frame malformed; data passed to the sink is then invalid
     */
    public boolean walk(ByteBuffer frame, short apiKey, short version, EndpointSink sink) {
        byte headerVersion = ApiTable.responseHeaderVersion(apiKey, version);
        if (headerVersion == ApiTable.UNKNOWN) {
            return false;
        }
        cursor.wrap(frame, frame.position(), frame.limit(), false);
        ApiTable.responseHeader(headerVersion).skip(cursor);
        ApiTable.response(apiKey, version).endpoints(cursor, sink);
        return !cursor.failed();
    }
}
