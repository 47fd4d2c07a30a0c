// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that devices read and write. Providers that pin nothing take any memory; a device takes registered memory
 * only, of which each event loop has a bounded amount. Allocation and deregistration run on the set-up thread.
 * Buffers are counted by references and must be released on the event loop that took them.
 */
package io.slipstream.link.memory;
