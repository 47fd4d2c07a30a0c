// SPDX-License-Identifier: Apache-2.0
/**
 * Layout of ring frames, and the arithmetic of ring positions for both ends. Nothing that the peer wrote is
 * believed before it was checked. Each object has one owner; the ring's memory belongs to whoever allocated it.
 */
package io.slipstream.protocol.ring;
