/**
 * What happened in a run, as data. Events come from clients, brokers, the RDMA path and the fault injector; a file
 * keeps them.
 *
 * <p>A {@link io.slipstream.history.Recorder} writes a history once. It may then be read any number of times. All times
 * are {@code System.nanoTime()} of one host, which is the same clock in all of its processes.
 */
package io.slipstream.history;
