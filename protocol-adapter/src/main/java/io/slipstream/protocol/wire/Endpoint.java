// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

/**
 * A node's address in a response. Positions are indices in the frame's buffer.
 *
 * @param hostField index of the host's length
 * @param host index of the host's first byte
 * @param compact whether the length is compact (length + 1 as a varint), else 2 bytes
 * @param port index of the 4-byte port
 * @param inTag whether it is in the value of a tagged field
 */
public record Endpoint(int nodeId, int hostField, int host, int hostLength, boolean compact, int port, boolean inTag) {}
