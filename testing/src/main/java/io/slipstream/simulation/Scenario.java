// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.slipstream.simulation.client.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The parameters of one run: a function of its seed. Shrinking changes them for a failing run.
 *
 * @param strict whether the device pins files and accepts only registered local memory
 * @param tornPercent percentage of messages that travel in pieces
 * @param wireFactor factor of message delays
 * @param partitions partitions of each broker
 * @param quotaBytes bytes that a principal may read from a broker by RDMA; 0 for no bound
 * @param handlerNs longest time that a broker's thread takes for a request beyond the usual
 */
public record Scenario(
        long seed,
        boolean strict,
        int tornPercent,
        int wireFactor,
        int brokers,
        int partitions,
        int segmentBytes,
        int requestRingBytes,
        int brokerCredits,
        int slots,
        int leaseMs,
        long registeredBytes,
        int windowBytes,
        int handlerNs,
        long quotaBytes,
        int throttlePercent,
        Proxy.Sizes proxy,
        List<ProducerPlan> producers,
        List<ConsumerPlan> consumers,
        List<Fault> faults) {
    /** Of the clients. */
    static final List<String> PRINCIPALS = List.of("User:alice", "User:bob");

    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final long FAULTS_FROM_NS = 500 * US;
    private static final int LATEST_START_NS = 4_000_000;
    private static final int FAULTS_WITHIN_US = 6_000;
    /** Every eighth producer has batches that no request ring takes. */
    private static final int LARGER_THAN_RINGS = Integer.MAX_VALUE / 4;
    /** Later than other faults, which end what a principal has been granted before. */
    private static final int UNAUTHORIZED_WITHIN_US = 8_000;

    /** @param mostValueBytes maximum size of batches */
    public record ProducerPlan(int partition, short acks, int batches, int inFlight, int thinkNs, int mostValueBytes) {
        ProducerPlan withBatches(int fewer) {
            return new ProducerPlan(partition, acks, fewer, inFlight, thinkNs, mostValueBytes);
        }
    }

    /**
     * @param sessions whether it opens fetch sessions
     * @param sips whether it reads little at a time, so that it lags behind
     * @param startNs when it starts; late ones find a backlog
     */
    public record ConsumerPlan(
            String principal,
            boolean sessions,
            boolean sips,
            boolean committed,
            int startNs,
            int thinkNs,
            int maxWaitMs,
            List<Integer> partitions) {}

    /** Whether segments are preallocated, so that a device may read beyond the log's end. */
    boolean preallocates() {
        return strict && seed % 2 == 0;
    }

    public static Scenario of(long seed) {
        // Mixed twice: the generator steps by a constant, and streams of seeds a few steps apart would overlap.
        SplittableRandom random = new SplittableRandom(new SplittableRandom(~seed).nextLong());
        boolean calm = random.nextInt(4) == 0;
        int brokers = random.nextInt(3) == 0 ? 2 : 1;
        int partitions = 1 + random.nextInt(3);
        int leaseMs = 4 + random.nextInt(5);
        List<ProducerPlan> producers = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            producers.add(producer(random, random.nextInt(brokers * partitions), calm));
        }
        List<ConsumerPlan> consumers = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            consumers.add(consumer(random, partitions * random.nextInt(brokers), partitions, calm));
        }
        List<Fault> faults = new ArrayList<>();
        if (!calm && random.nextInt(4) > 0) {
            for (int i = 1 + random.nextInt(random.nextInt(3) == 0 ? 6 : 2); i > 0; i--) {
                faults.add(fault(random, brokers, brokers * partitions, producers.size() + consumers.size(), leaseMs));
            }
        }
        if (!calm && random.nextInt(5) > 0) {
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                faults.add(onRead(
                        random,
                        changeOfTheLog(random, instant(random), leaseMs, random.nextInt(brokers * partitions))));
            }
        }
        if (random.nextBoolean()) {
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                faults.add(onRead(random, transaction(random, instant(random), random.nextInt(brokers * partitions))));
            }
        }
        return new Scenario(
                seed,
                random.nextBoolean(),
                random.nextInt(3) * 40,
                random.nextInt(5) == 0 ? 30 : 1,
                brokers,
                partitions,
                4096 << random.nextInt(3),
                4096 << random.nextInt(2),
                1 + random.nextInt(8),
                random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 16,
                leaseMs,
                random.nextInt(5) == 0 ? 8192 << random.nextInt(4) : 1 << 24,
                windowBytes(random),
                random.nextInt(2) == 0 ? 100_000 : 1,
                random.nextInt(4) == 0 ? 2_000 + random.nextInt(60_000) : 0,
                random.nextInt(8) == 0 ? 20 : 0,
                new Proxy.Sizes(4096, 1 + random.nextInt(8), 1 + random.nextInt(8), 1 << 16),
                producers,
                consumers,
                faults);
    }

    /** Draws once more than it needs, for a parameter that is gone, so that recorded seeds keep their meaning. */
    private static int windowBytes(SplittableRandom random) {
        int windowBytes = 4096 << random.nextInt(3);
        random.nextInt(3);
        return windowBytes;
    }

    private static ProducerPlan producer(SplittableRandom random, int partition, boolean calm) {
        int kind = random.nextInt(6);
        short acks = kind == 0 ? 0 : kind == 1 ? (short) 1 : (short) -1;
        int size = random.nextInt();
        int mostValueBytes = size < 0 ? 2500 : size < LARGER_THAN_RINGS ? 10_000 : 200;
        int thinkNs = calm || random.nextInt(3) == 0 ? 400_000 : 20_000;
        return new ProducerPlan(
                partition, acks, 2 + random.nextInt(16), 1 + random.nextInt(5), thinkNs, mostValueBytes);
    }

    private static ConsumerPlan consumer(SplittableRandom random, int first, int partitions, boolean calm) {
        List<Integer> of = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            if (of.isEmpty() || random.nextInt(3) > 0) {
                of.add(first + i);
            }
        }
        int maxWaitMs = random.nextInt(calm ? 2 : 4) == 0 ? 40 : random.nextInt(3);
        int thinkNs = random.nextInt(5) == 0 ? 10_000_000 : 5_000 + random.nextInt(100_000);
        String principal = PRINCIPALS.get(random.nextInt(PRINCIPALS.size()));
        int startNs = random.nextBoolean() ? 0 : random.nextInt(LATEST_START_NS);
        return new ConsumerPlan(
                principal,
                random.nextBoolean(),
                random.nextInt(3) == 0,
                random.nextBoolean(),
                startNs,
                thinkNs,
                maxWaitMs,
                of);
    }

    private static long instant(SplittableRandom random) {
        return FAULTS_FROM_NS + random.nextInt(FAULTS_WITHIN_US) * US;
    }

    private static Fault fault(SplittableRandom random, int brokers, int partitions, int clients, int leaseMs) {
        long at = instant(random);
        long pause = (random.nextInt(3) == 0 ? random.nextInt(4 * leaseMs * 1000) : random.nextInt(1000)) * US;
        return switch (random.nextInt(19)) {
            case 0, 1, 2 -> new Fault.BreakConnection(at, random.nextInt(12));
            case 3 -> new Fault.StopProxy(at, pause);
            case 4 ->
                new Fault.StopBroker(
                        at, 1 + random.nextInt(brokers), random.nextBoolean() ? pause : 4L * leaseMs * 1000 * US);
            case 5 -> new Fault.KillProxy(at, 50 * US + pause / 4);
            case 6 -> new Fault.KillBroker(at, 1 + random.nextInt(brokers), 50 * US + pause / 4);
            case 7 -> new Fault.CutControl(at);
            case 8 -> new Fault.CloseClient(at, random.nextInt(clients));
            case 9 -> new Fault.StopBroker(at, 1 + random.nextInt(brokers), 4L * leaseMs * MS);
            default -> onRead(random, changeOfTheLog(random, at, leaseMs, random.nextInt(partitions)));
        };
    }

    private static Fault.OfTheLog changeOfTheLog(SplittableRandom random, long at, int leaseMs, int partition) {
        return switch (random.nextInt(14)) {
            case 0, 1, 10, 11 -> new Fault.MoveLeader(at, partition, random.nextBoolean());
            case 2, 3 -> new Fault.Elect(at, partition);
            case 4, 5 -> new Fault.DeleteRecords(at, partition, Math.min(100, 10 + random.nextInt(150)));
            case 6, 7 -> transaction(random, at, partition);
            default ->
                new Fault.Unauthorize(
                        at + random.nextInt(UNAUTHORIZED_WITHIN_US) * US,
                        random.nextInt(PRINCIPALS.size()),
                        leaseMs * MS * (1 + random.nextInt(4)));
        };
    }

    private static Fault.Transaction transaction(SplittableRandom random, long at, int partition) {
        return new Fault.Transaction(at, partition, 100 * US + random.nextInt(4000) * US, random.nextBoolean());
    }

    /** Often lets the change meet a reader. */
    private static Fault.OfTheLog onRead(SplittableRandom random, Fault.OfTheLog change) {
        Fault.Moment moment = !(change instanceof Fault.MoveLeader) && random.nextBoolean()
                ? Fault.Moment.SLOT_READ
                : Fault.Moment.RECORDS_DUE;
        int skip = random.nextInt(8);
        return random.nextInt(3) == 0 ? change : new Fault.OnRead(change.atNs(), moment, skip, change);
    }

    /** Whether RDMA does not serve the first of several partitions of each broker. Not drawn, as above. */
    boolean excludesAPartition() {
        return partitions > 1 && Long.remainderUnsigned(seed, 4) == 1;
    }

    /** Whether the partitions of the first of two brokers have copies at the second one. Not drawn, as above. */
    boolean isReplicated() {
        return brokers == 2 && Long.remainderUnsigned(seed, 3) == 0;
    }

    /** Whether anything but logs suffers from faults. */
    boolean breaksLinks() {
        return !faults.stream().allMatch(Fault.OfTheLog.class::isInstance);
    }

    Scenario withFaults(List<Fault> fewer) {
        return with(tornPercent, throttlePercent, producers, consumers, fewer);
    }

    Scenario withClients(List<ProducerPlan> fewerProducers, List<ConsumerPlan> fewerConsumers) {
        return with(tornPercent, throttlePercent, fewerProducers, fewerConsumers, faults);
    }

    Scenario untorn() {
        return with(0, 0, producers, consumers, faults);
    }

    /** Returns a copy with the parameters that shrinking changes. */
    private Scenario with(
            int torn, int throttled, List<ProducerPlan> producing, List<ConsumerPlan> consuming, List<Fault> striking) {
        return new Scenario(
                seed,
                strict,
                torn,
                wireFactor,
                brokers,
                partitions,
                segmentBytes,
                requestRingBytes,
                brokerCredits,
                slots,
                leaseMs,
                registeredBytes,
                windowBytes,
                handlerNs,
                quotaBytes,
                throttled,
                proxy,
                List.copyOf(producing),
                List.copyOf(consuming),
                List.copyOf(striking));
    }

    /** Returns whether committed records are served soon: nothing but transactions happens. */
    boolean isCalm() {
        return throttlePercent == 0
                && wireFactor == 1
                && faults.stream()
                        .allMatch(fault -> fault instanceof Fault.Transaction
                                || fault instanceof Fault.OnRead onRead
                                        && onRead.change() instanceof Fault.Transaction);
    }

    /** Returns the time for which processes stop in this scenario. */
    long stoppedNs() {
        return faults.stream()
                .mapToLong(fault -> fault instanceof Fault.StopProxy proxyStop
                        ? proxyStop.forNs()
                        : fault instanceof Fault.StopBroker brokerStop ? brokerStop.forNs() : 0)
                .sum();
    }

    /** Returns whether a process stops in this scenario. */
    boolean stopsProxies() {
        return faults.stream().anyMatch(Fault.StopProxy.class::isInstance);
    }
}
