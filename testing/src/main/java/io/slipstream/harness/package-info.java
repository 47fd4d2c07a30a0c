/**
 * What tests need of running processes beyond starting them: counters of a plugin by JMX, and, in {@code raw}, clients
 * that write frames as they like. The processes themselves are in the command line's package of the same name.
 */
package io.slipstream.harness;
