// SPDX-License-Identifier: Apache-2.0
/**
 * TLS as Kafka does it, from its own {@code ssl.*} settings: what the proxy's sides and the plugin's control channel
 * have in common.
 */
package io.slipstream.protocol.tls;
