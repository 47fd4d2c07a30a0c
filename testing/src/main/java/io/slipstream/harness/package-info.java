// SPDX-License-Identifier: Apache-2.0
/**
 * What tests need of running processes beyond starting them: counters of a plugin by JMX, and, in {@code raw}, clients
 * that write frames as they like. The processes themselves are in {@code io.slipstream.process}.
 */
package io.slipstream.harness;
