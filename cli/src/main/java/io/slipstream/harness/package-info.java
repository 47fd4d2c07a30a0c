/**
 * Brokers, clusters and proxies as processes. The quickstart is made of them, and tests and benchmarks start theirs by
 * them. Everything listens on loopback only, waits with deadlines, and ends with the JVM that started it.
 *
 * <p>The package is part of the command line, and the module testing depends on it: what a user runs does not depend on
 * what only tests need. {@code io.slipstream.harness} of the module testing holds the rest, such as counters of a
 * broker's JMX and clients that write raw frames.
 */
package io.slipstream.harness;
