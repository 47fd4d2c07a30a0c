// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Subject;
import java.util.Map;

/**
 * A workload of the raw client.
 *
 * @param name unique among all workloads
 * @param inFlight outstanding requests, on {@link #connections}
 * @param valueBytes size of each produced or prefilled record; for a scan the smallest
 * @param batchRecords records per produced or prefilled batch
 * @param partitions partitions that requests use in turn; for a scan those of each request
 * @param acks acks of Produce requests
 * @param isSweep whether its topics are shared by all workloads of its kind and number of partitions, and allow batches
 * of 2 MiB
 */
record Workload(
        String name,
        String label,
        Kind kind,
        int inFlight,
        int valueBytes,
        int batchRecords,
        int partitions,
        int acks,
        boolean isSweep) {
    static final Workload PRODUCE = produce("PRODUCE", "produce 100 B, acks=1", 1, 100);
    static final Workload FETCH = of("FETCH", "fetch one batch", Kind.ONE_BATCH, 1, 100);
    static final Workload EMPTY_FETCH = of("EMPTY_FETCH", "empty fetch", Kind.EMPTY, 1, 0);
    static final Workload EMPTY_FETCH_PIPELINED =
            of("EMPTY_FETCH_PIPELINED", "empty fetches, 32 in flight", Kind.EMPTY, 32, 0);
    /** By a group without members. */
    static final Workload OFFSET_COMMIT = of("OFFSET_COMMIT", "commit of one offset", Kind.COMMIT, 1, 0);

    /** Two requests: Produce and EndTxn. */
    static final Workload TRANSACTION = of("TRANSACTION", "transaction of one record", Kind.TRANSACTION, 1, 1 << 10);

    static final Workload HEARTBEAT = of("HEARTBEAT", "heartbeat of one of 1 000 members", Kind.HEARTBEAT, 1, 0);

    static final Workload PRODUCE_1K = produce("PRODUCE_1K", "produce 1 KiB", 1, 1 << 10);
    static final Workload PRODUCE_1K_PIPELINED =
            produce("PRODUCE_1K_PIPELINED", "produce 1 KiB, 32 in flight", 32, 1 << 10);
    /** One in flight on each. */
    static final Workload PRODUCE_1K_CONNECTIONS =
            produce("PRODUCE_1K_CONNECTIONS", "produce 1 KiB, 32 connections", 32, 1 << 10);

    /** As many as fit the request ring and the proxy's socket read with room to spare. */
    static final Workload PRODUCE_64K_PIPELINED =
            produce("PRODUCE_64K_PIPELINED", "produce 64 KiB, 8 in flight", 8, 64 << 10);

    static final Workload FETCH_1K = of("FETCH_1K", "fetch one batch of 1 KiB", Kind.ONE_BATCH, 1, 1 << 10);
    static final Workload FETCH_16K = of("FETCH_16K", "fetch one batch of 16 KiB", Kind.ONE_BATCH, 1, 16 << 10);
    /** One in flight on each. */
    static final Workload EMPTY_FETCH_CONNECTIONS =
            of("EMPTY_FETCH_CONNECTIONS", "empty fetches, 32 connections", Kind.EMPTY, 32, 0);

    static final Workload SCAN = of("SCAN", "scan, 1 consumer", Kind.SCAN, 1, 16 << 10);
    static final Workload SCAN_4 = of("SCAN_4", "scan, 4 consumers", Kind.SCAN, 4, 16 << 10);
    /** Each requests the next answer when all have the last one, like consumers at the end of a log. */
    static final Workload SCAN_4_IN_STEP = of("SCAN_4_IN_STEP", "scan, 4 consumers in step", Kind.SCAN, 4, 16 << 10);

    static final Workload END_TO_END = of("END_TO_END", "end to end 100 B", Kind.END_TO_END, 1, 100);
    static final Workload END_TO_END_PACED =
            of("END_TO_END_PACED", "end to end 100 B, each 5 ms", Kind.END_TO_END, 1, 100);
    /** Of a record that was just appended. */
    static final Workload FETCH_TAIL = of("FETCH_TAIL", "fetch at the log's end, 1 KiB", Kind.TAIL, 1, 1 << 10);

    /** To a leader whose two followers must have the record first. */
    static final Workload PRODUCE_RF3 =
            replicated("PRODUCE_RF3", "produce 100 B, acks=all, 3 replicas", Kind.PRODUCE, 1, 100, 1);

    static final Workload PRODUCE_RF3_1K_PIPELINED = replicated(
            "PRODUCE_RF3_1K_PIPELINED",
            "produce 1 KiB, acks=all, 3 replicas, 32 in flight",
            Kind.PRODUCE,
            32,
            1 << 10,
            1);
    static final Workload PRODUCE_RF3_64K_PIPELINED = replicated(
            "PRODUCE_RF3_64K_PIPELINED",
            "produce batches of 64 KiB, acks=all, 3 replicas, 8 in flight",
            Kind.PRODUCE,
            8,
            1 << 10,
            64);
    /** A consumer sees only what both followers have. */
    static final Workload END_TO_END_RF3 =
            replicated("END_TO_END_RF3", "end to end 100 B, 3 replicas", Kind.END_TO_END, 1, 100, 1);

    static final Workload CLIENT_PRODUCE =
            of("CLIENT_PRODUCE", "KafkaProducer 100 B, acks=1", Kind.CLIENT_PRODUCE, 1, 100);
    static final Workload CLIENT_FETCH = of("CLIENT_FETCH", "KafkaConsumer, one batch", Kind.CLIENT_FETCH, 1, 100);
    static final Workload CLIENT_END_TO_END = of(
            "CLIENT_END_TO_END", "KafkaProducer and KafkaConsumer, end to end 100 B", Kind.CLIENT_END_TO_END, 1, 100);

    enum Kind {
        PRODUCE,
        /** At the end of an empty partition, without waiting. */
        EMPTY,
        /** The offset of one partition. */
        COMMIT,
        /** From the produce of its only record to its end. */
        TRANSACTION,
        /** Of the members of a group in turn. */
        HEARTBEAT,
        /** The next batch of a log, limit 1 byte. */
        ONE_BATCH,
        /** A large log from beginning to end, 1 MiB per request. */
        SCAN,
        /** From the produce of a record to its receipt by a waiting consumer. */
        END_TO_END,
        /** The fetch of a record that was acknowledged before. */
        TAIL,
        /** The same with the stock Java client: {@link ClientExchange}. */
        CLIENT_PRODUCE,
        CLIENT_FETCH,
        CLIENT_END_TO_END
    }

    private static Workload produce(String name, String label, int inFlight, int valueBytes) {
        return of(name, label, Kind.PRODUCE, inFlight, valueBytes);
    }

    private static Workload of(String name, String label, Kind kind, int inFlight, int valueBytes) {
        return new Workload(name, label, kind, inFlight, valueBytes, 1, 1, 1, false);
    }

    private static Workload replicated(
            String name, String label, Kind kind, int inFlight, int valueBytes, int batchRecords) {
        return new Workload(name, label, kind, inFlight, valueBytes, batchRecords, 1, -1, false);
    }

    /** Returns whether requests go out together when all previous ones are answered. */
    boolean isInStep() {
        return this == SCAN_4_IN_STEP;
    }

    /** Returns whether the result is operations per second instead of the round-trip time. */
    boolean isThroughput() {
        return inFlight > 1 || kind == Kind.SCAN;
    }

    /** Returns the number of connections, among which the outstanding requests are divided. */
    int connections() {
        return isFollowed() || this == PRODUCE_1K_CONNECTIONS ? inFlight : 1;
    }

    /** Returns whether {@link FetchExchange} drives it: it parses answers and uses one connection per request. */
    boolean isFollowed() {
        return kind == Kind.SCAN || this == EMPTY_FETCH_CONNECTIONS || kind == Kind.ONE_BATCH && this != FETCH;
    }

    /** Returns whether an echo of the same sizes shows the lower bound. */
    boolean hasFloor() {
        return !isByTwo() && kind != Kind.TRANSACTION && kind != Kind.HEARTBEAT && !isOfClient();
    }

    /** Returns whether a producer and a consumer drive it, each on a connection of its own. */
    boolean isByTwo() {
        return kind == Kind.END_TO_END || kind == Kind.TAIL;
    }

    /** Returns whether followers must have a record before its operation ends. */
    boolean isReplicated() {
        return acks == -1;
    }

    /** Returns whether the stock Java client drives it. */
    boolean isOfClient() {
        return kind == Kind.CLIENT_PRODUCE || kind == Kind.CLIENT_FETCH || kind == Kind.CLIENT_END_TO_END;
    }

    /** Returns whether its topics are prefilled with batches of one record. */
    boolean isOfFilledTopic() {
        return this == FETCH || kind == Kind.CLIENT_FETCH;
    }

    /** Returns the proxy's requests per operation. */
    int requests() {
        return isByTwo() || kind == Kind.TRANSACTION || kind == Kind.CLIENT_END_TO_END ? 2 : 1;
    }

    /** Workloads with equal names share topics. */
    String topic() {
        if (this == SCAN_4 || this == SCAN_4_IN_STEP) {
            return SCAN.name;
        }
        return isSweep && kind == Kind.PRODUCE ? "produce-sweep-" + partitions : name;
    }

    Subject subject(String suite) {
        return new Subject(
                suite,
                name,
                label,
                Map.of(
                        Subject.RECORD_BYTES, (long) valueBytes,
                        Subject.PARTITIONS, (long) partitions,
                        Subject.IN_FLIGHT, (long) inFlight));
    }
}
