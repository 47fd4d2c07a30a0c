// SPDX-License-Identifier: Apache-2.0
/**
 * Layout of ring frames, and the arithmetic of ring positions for both ends. All data from the peer is checked before
 * use. Each object has one owner; the allocator of the ring owns its memory.
 */
package io.slipstream.protocol.ring;
