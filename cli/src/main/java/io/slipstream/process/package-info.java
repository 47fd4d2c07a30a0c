// SPDX-License-Identifier: Apache-2.0
/**
 * Brokers, clusters and proxies as child processes, for the quickstart, the tests and the benchmarks. All processes
 * listen on loopback only, all waits have deadlines, and every process ends with the JVM that started it.
 *
 * <p>The package belongs to the command line, and the module testing depends on it. A user's program must not depend on
 * test code.
 */
package io.slipstream.process;
