// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Any frame gets the same answer, or the same close, through the proxy as directly from the broker. The test sends each
 * frame twice directly, through a proxy without RDMA, and through one with it, in the same order. Each path has its own
 * topic. If the answers of the two direct paths differ in bytes, they depend on more than the frame (a new id, a topic
 * that now exists). Then only their kind is compared.
 *
 * <p>{@code -Dslipstream.fuzz.differential.seconds} sets the time, {@code -Dslipstream.seed} repeats the frames of a
 * run.
 */
class DifferentialFuzzIT {
    private static final int DEFAULT_SECONDS = 0;
    /** Some frames delete and truncate topics; new topics make later frames meaningful again. */
    private static final int FRAMES_OF_A_TOPIC = 400;

    private static final int PARTITIONS = 3;

    private int lastNumber;
    private long compared;
    private long alike;
    private long undecided;
    private long closed;

    @Test
    @Timeout(value = 7, unit = TimeUnit.DAYS)
    void shouldGetTheSameAnswerOnEachPath() throws Exception {
        long seed = Long.getLong("slipstream.seed", new SecureRandom().nextInt() & 0xffff_ffffL);
        int seconds = Integer.getInteger("slipstream.fuzz.differential.seconds", DEFAULT_SECONDS);
        Assumptions.assumeTrue(seconds > 0, "slipstream.fuzz.differential.seconds is 0");
        System.out.println("frames against a stock broker: -Dslipstream.seed=" + seed);
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .property("log.retention.ms", "-1")
                        .property("auto.create.topics.enable", "false")
                        .property("max.incremental.fetch.session.cache.slots", "0")
                        .withAgent()
                        .start();
                ProxyProcess tcp = ProxyProcess.builder(broker).withoutRdma().start();
                ProxyProcess rdma = ProxyProcess.builder(broker).start();
                RawTopics topics = new RawTopics(broker.bootstrapServers());
                Way direct = new Way("direct", broker.port());
                Way again = new Way("direct again", broker.port());
                Way byTcp = new Way("proxy", nodePort(tcp));
                Way byRdma = new Way("proxy with RDMA", nodePort(rdma))) {
            List<Way> ways = List.of(direct, again, byTcp, byRdma);
            run(ways, topics, seed, System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
            PathCounts paths = PathCounts.in(rdma.metrics());
            System.out.printf(
                    "%d frames: %d with the same answer, %d of the same kind, %d without an answer in time; %d closed; %s%n",
                    compared + alike + undecided, compared, alike, undecided, closed, paths);
            assertThat(compared).as("frames whose answers were compared").isGreaterThan(20);
            assertThat(paths.rdmaProduced() + paths.rdmaFetched())
                    .as("requests by RDMA")
                    .isPositive();
            assertThat(undecided).as("frames without an answer").isLessThan((compared + alike) / 2);
        }
    }

    private static int nodePort(ProxyProcess proxy) throws IOException {
        return RawTopics.onlyBroker(proxy.bootstrapServers()).port();
    }

    private void run(List<Way> ways, RawTopics topics, long seed, long endNs) throws IOException {
        Random random = new Random(seed);
        SeedFrames seeds = new SeedFrames(random);
        FrameMutator mutator = new FrameMutator(random);
        lastNumber = number(topics.create("number", 1));
        for (int number = 0; System.nanoTime() < endNs; number++) {
            if (number % FRAMES_OF_A_TOPIC == 0) {
                freshTopics(ways, topics);
            }
            byte[] frame = mutator.mutate(seeds.next());
            Outcome[] outcomes = new Outcome[ways.size()];
            boolean anySilent = false;
            for (int i = 0; i < outcomes.length; i++) {
                outcomes[i] = ways.get(i).exchange(frame);
                anySilent |= outcomes[i].end() == Outcome.End.SILENT;
            }
            if (anySilent) {
                undecided++;
                ways.forEach(Way::close);
                continue;
            }
            compare(ways, outcomes, frame, number, seed);
        }
    }

    private void compare(List<Way> ways, Outcome[] outcomes, byte[] frame, int number, long seed) {
        Outcome direct = outcomes[0];
        if (!direct.isAlike(outcomes[1])) {
            undecided++;
            return;
        }
        boolean bytes = Answers.areSame(frame, direct, outcomes[1]);
        for (int i = 2; i < outcomes.length; i++) {
            boolean same = bytes ? Answers.areSame(frame, direct, outcomes[i]) : direct.isAlike(outcomes[i]);
            if (!same) {
                throw new AssertionError("frame " + number + " of -Dslipstream.seed=" + seed + " through "
                        + ways.get(i).name + "\n  frame  " + HexFormat.of().formatHex(frame) + "\n  direct " + direct
                        + "\n  " + ways.get(i).name + " " + outcomes[i]);
            }
        }
        compared += bytes ? 1 : 0;
        alike += bytes ? 0 : 1;
        closed += direct.end() == Outcome.End.CLOSED ? 1 : 0;
    }

    /**
     * Creates topics whose names have the length of the placeholder, including the number that {@link RawTopics}
     * appends.
     */
    private void freshTopics(List<Way> ways, RawTopics topics) throws IOException {
        for (int i = 0; i < ways.size(); i++) {
            TopicRef topic = topics.create(
                    ("fuzzed-" + (char) ('a' + i) + "-".repeat(20)).substring(0, prefixLength()), PARTITIONS);
            lastNumber = number(topic);
            ways.get(i).use(topic);
        }
    }

    private int prefixLength() {
        int digits = Integer.toString(lastNumber + 1).length();
        return Way.PLACEHOLDER.name().length() - 1 - digits;
    }

    private static int number(TopicRef topic) {
        return Integer.parseInt(topic.name().substring(topic.name().lastIndexOf('-') + 1));
    }
}
