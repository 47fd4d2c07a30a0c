// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.it.Thorough;
import io.slipstream.it.fault.VerbsBroker;
import io.slipstream.process.BrokerLine;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Cases of Produce and Fetch over a kernel's RDMA device. {@code SoftRoceVerbsIT} runs it inside the Soft-RoCE machine,
 * with the brokers' log directories on tmpfs. Its name excludes it from other runs.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class VerbsDifferentialInMachine extends DifferentialSuite {
    private static final String PRODUCING =
            "(codec|acks|produce|pipelined|partitions|duplicate|out-of-order|sequence|older-producer|five-in|transaction|random).*";

    private static final String FETCHING = "(fetch|session|long-poll|aborted|compacted|read-committed).*";

    @RegisterExtension
    final VerbsBroker shared = new VerbsBroker();

    VerbsDifferentialInMachine() {
        super(BrokerLine.NEWEST);
    }

    @Override
    Map<String, String> keys() {
        return Map.of("slipstream.provider", "verbs");
    }

    @Override
    List<ArmKind> kinds() {
        return List.of(ArmKind.DIRECT, ArmKind.PROXY_RDMA);
    }

    /**
     * No case needs two leader epochs, for which a restart in the machine takes a minute. So does the start of another
     * broker: on the host, {@link DifferentialIT} compares with a broker that has no agent.
     */
    @Override
    Arms start(BrokerLine brokers, BrokerKeys keys, List<ArmKind> kinds) throws IOException {
        return DifferentialCluster.at(shared.process(), keys, kinds, !Thorough.isAsked());
    }

    @Override
    Stream<Case> cases() {
        return allCases()
                .filter(each -> each.name().matches(PRODUCING) || each.name().matches(FETCHING));
    }
}
