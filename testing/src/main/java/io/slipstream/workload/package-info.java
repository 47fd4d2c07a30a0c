/**
 * Stock Java clients that record what they do and see as a history. When they are done, a last read takes everything
 * from offset zero, the logs of all replicas, group offsets and transactions. The package can also make up the history
 * of a run that never was, to measure the checker.
 */
package io.slipstream.workload;
