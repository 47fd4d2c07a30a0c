// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import org.HdrHistogram.Histogram;

/**
 * One time of waiting, then some records.
 *
 * @param consumers that wait; 0 for nobody
 * @param elapsedNs of the waiting
 * @param brokerNs processor time meanwhile, as the following ones
 * @param proxyNs of the proxy between, or of the one with RDMA if there is none between
 * @param clientNs of the process that plays the consumers
 * @param polls answered meanwhile
 * @param byRdma of the polls, as the proxy counts them
 * @param wakeUps nanoseconds from sending each record to each consumer of its partition holding it
 * @param firstWakeUps to the first of them holding it
 * @param acknowledged to the broker's acknowledgement, on the producer's own connection to the broker
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
    /** In processors: 1 is one of them, all the time. */
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
