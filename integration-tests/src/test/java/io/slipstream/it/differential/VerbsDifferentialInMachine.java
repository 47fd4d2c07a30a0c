package io.slipstream.it.differential;

import io.slipstream.harness.BrokerLine;
import io.slipstream.it.produce.SegmentLandings;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Cases of producing and fetching over a kernel's RDMA device: by a proxy that places batches in segments wherever that is possible, and by one that never does. Run
 * inside the Soft-RoCE machine, by {@code SoftRoceVerbsIT}; its brokers' log directories are on tmpfs, the only file system into whose files a device
 * may write. The name keeps it out of runs elsewhere.
 */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class VerbsDifferentialInMachine extends DifferentialSuite {
    private static final String PRODUCING =
            "(codec|acks|produce|pipelined|partitions|duplicate|out-of-order|sequence|older-producer|five-in|transaction|random).*";

    private static final String FETCHING = "(fetch|session|long-poll|aborted|compacted|read-committed).*";

    private static final int RECORDS = 300;
    /** {@code segment} or {@code shared}. */
    private static final String PLACING = System.getProperty("slipstream.placing", "segment");

    VerbsDifferentialInMachine() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Map<String, String> keys() {
        return Map.of(
                "slipstream.landing", PLACING, "slipstream.provider", "verbs", "slipstream.untrusted.listeners", "");
    }

    @Override
    List<ArmKind> kinds() {
        return List.of(ArmKind.DIRECT, ArmKind.PROXY_RING, ArmKind.PROXY_RDMA);
    }

    /** Without two leader epochs: no case needs them, and in there a restart takes half a minute. */
    @Override
    Arms start(BrokerLine brokers, BrokerKeys keys, List<ArmKind> kinds) throws IOException {
        return DifferentialCluster.start(brokers, keys, kinds, false);
    }

    @Override
    boolean isPlaced(Case example) {
        if (!example.name().matches(PRODUCING)) {
            return false;
        }
        return PLACING.equals("shared")
                ? SharedDifferentialIT.mustBePlaced(example)
                : SegmentDifferentialIT.mustBePlaced(example);
    }

    @Override
    Stream<Case> cases() {
        return allCases()
                .filter(each -> each.name().matches(PRODUCING) || each.name().matches(FETCHING));
    }

    @Test
    void shouldHoldWhatWasPlaced() throws Exception {
        landings("placed").holdWhatWasPlaced();
    }

    @Test
    void shouldLetOthersWriteInBetween() throws Exception {
        landings("between").letOthersWriteInBetween();
    }

    private SegmentLandings landings(String topic) {
        Arm arm = arm(ArmKind.PROXY_RDMA);
        return new SegmentLandings(arm.broker(), arm.proxy(), topic, RECORDS);
    }
}
