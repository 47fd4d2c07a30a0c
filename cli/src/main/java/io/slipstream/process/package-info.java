// SPDX-License-Identifier: Apache-2.0
/**
 * Brokers, clusters and proxies as processes. The quickstart is made of them, and tests and benchmarks start theirs by
 * them. Everything listens on loopback only, waits with deadlines, and ends with the JVM that started it.
 *
 * <p>The package is part of the command line, and the module testing depends on it: what a user runs does not depend on
 * what only tests need.
 */
package io.slipstream.process;
