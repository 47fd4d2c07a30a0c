// SPDX-License-Identifier: Apache-2.0
/**
 * Layout of the slot table, its writer at the broker and its views at the proxy. One thread at a time writes a
 * slot; the reader is a device that copies bytes, so sequences and a checksum tell whether a copy is whole.
 */
package io.slipstream.protocol.slot;
