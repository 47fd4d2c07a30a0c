// SPDX-License-Identifier: Apache-2.0
/**
 * Layout of the slot table, its writer at the broker and its views at the proxy. One thread at a time writes a slot.
 * The reader is a device that copies bytes; sequences and a checksum show whether a copy is consistent.
 */
package io.slipstream.protocol.slot;
