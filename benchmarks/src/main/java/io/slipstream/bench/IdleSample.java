// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import org.HdrHistogram.Histogram;

/**
 * One wait, then some records.
 *
 * @param consumers waiting consumers; 0 for none
 * @param elapsedNs length of the wait
 * @param brokerNs CPU time of the broker during the wait, as are the following ones
 * @param proxyNs CPU time of the proxy in between, or of the one with RDMA on the direct way
 * @param clientNs CPU time of the consumers' process
 * @param polls polls answered during the wait
 * @param byRdma polls by RDMA, as the proxy counts them
 * @param wakeUps nanoseconds from the send of each record to its receipt by each consumer of its partition
 * @param firstWakeUps nanoseconds to the first receipt
 * @param acknowledged nanoseconds to the broker's acknowledgement, on the producer's direct connection
 */
record IdleSample(
        int consumers,
        IdleCase idleCase,
        int round,
        long elapsedNs,
        long brokerNs,
        long proxyNs,
        long clientNs,
        long polls,
        long byRdma,
        Histogram wakeUps,
        Histogram firstWakeUps,
        Histogram acknowledged) {
    /** In CPUs: 1 is one fully used CPU. */
    double broker() {
        return (double) brokerNs / elapsedNs;
    }

    double proxy() {
        return (double) proxyNs / elapsedNs;
    }

    double client() {
        return (double) clientNs / elapsedNs;
    }
}
