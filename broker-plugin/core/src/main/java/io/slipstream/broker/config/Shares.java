// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

/**
 * Bounds on a shared resource for a single proxy or principal.
 *
 * @param linksPerConnection links of one proxy
 * @param sessions bound sessions of one principal; 0 for no bound
 */
public record Shares(int linksPerConnection, int sessions) {}
