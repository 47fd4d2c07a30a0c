// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

/** Receives the endpoints of a response in byte order. Positions are indices in the frame's buffer. */
public interface EndpointSink {
    void endpoint(Endpoint endpoint);

    /** The next endpoints are in the value of a tagged field, whose size (a varint) is at {@code sizePosition}. */
    void enterTag(int sizePosition, int valuePosition, int sizeBytes);

    void exitTag();

    /** {@code length} is -1 for null. */
    void clusterId(int position, int length);

    /** Type in DescribeCluster: 1 brokers, 2 controllers. Called before the endpoints. */
    void endpointType(byte type);
}
