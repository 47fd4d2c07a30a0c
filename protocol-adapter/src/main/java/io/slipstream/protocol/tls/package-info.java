// SPDX-License-Identifier: Apache-2.0
/** TLS from Kafka's own {@code ssl.*} settings, for both sides of the proxy and for the plugin's control channel. */
package io.slipstream.protocol.tls;
