/**
 * Brokers, clusters and proxies as processes, for tests, benchmarks and the quickstart. Everything listens on loopback only, waits
 * with deadlines, and ends with the JVM that started it.
 */
package io.slipstream.harness;
