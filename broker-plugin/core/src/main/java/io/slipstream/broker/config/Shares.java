// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

/**
 * How much of what all share one may have.
 *
 * @param linksPerConnection links of one proxy
 * @param sessions bound sessions of one principal; 0: no such bound
 * @param registeredBytes registered bytes of one principal; 0: no such bound
 */
public record Shares(int linksPerConnection, int sessions, long registeredBytes) {}
