// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that devices read and write. Providers without pinning accept any memory; a device accepts only registered
 * memory, of which each event loop has a bounded amount. Allocation and deregistration run on the set-up thread.
 * Buffers are reference-counted and must be released on the event loop that took them.
 */
package io.slipstream.link.memory;
