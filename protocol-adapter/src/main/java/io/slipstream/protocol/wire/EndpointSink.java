// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

/** Receives the endpoints of a response in byte order. Positions are indices in the frame's buffer. */
public interface EndpointSink {
    /**
     * @param hostField index of the host's length
     * @param host index of the host's first byte
     * @param compact whether the length is compact (length + 1 as a varint), else 2 bytes
     * @param port index of the 4-byte port
     * @param rackLength -1 if there is none
     */
    void endpoint(
            int nodeId, int hostField, int host, int hostLength, boolean compact, int port, int rack, int rackLength);

    /** The next endpoints are in the value of a tagged field, whose size (a varint) is at {@code sizePosition}. */
    void enterTag(int sizePosition, int valuePosition, int sizeBytes);

    void exitTag();

    /** {@code length} is -1 for null. */
    void clusterId(int position, int length);

    void controllerId(int nodeId);

    /** Type in DescribeCluster: 1 brokers, 2 controllers. Called before the endpoints. */
    void endpointType(byte type);
}
