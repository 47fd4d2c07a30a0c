// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code slipstream.*} keys of the broker's {@code server.properties}: names, bounds, documentation, parsing, and
 * the retired keys of earlier releases.
 */
package io.slipstream.broker.config;
