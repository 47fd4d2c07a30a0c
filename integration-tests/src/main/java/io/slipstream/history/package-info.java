/**
 * What happened in a run, as data: the events that clients, brokers, the RDMA path and the fault injector record, and the file that keeps them.
 * A history is written once by a {@link io.slipstream.history.Recorder} and may then be read any number of times. All times are {@code System.nanoTime()} of one host,
 * which is the same clock in all of its processes.
 */
package io.slipstream.history;
