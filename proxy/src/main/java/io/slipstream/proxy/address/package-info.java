// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses that clients see instead of the brokers' own. Any event loop reads them; changes of the topology change
 * them.
 */
package io.slipstream.proxy.address;
