// SPDX-License-Identifier: Apache-2.0
/**
 * Which addresses clients see in place of the brokers' own. Read by any event loop; changed as the topology
 * changes.
 */
package io.slipstream.proxy.address;
