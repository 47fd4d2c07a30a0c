/**
 * Stock Java clients that record what they do and see as a history, and what is read of the cluster when they are done: everything from zero, the logs of all replicas, group offsets and
 * transactions. Also the history of a run that never was, for measuring the checker.
 */
package io.slipstream.workload;
