// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.it.Thorough;
import io.slipstream.process.BrokerLine;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIf;

/** Produce to a partition with two replicas, on the newest broker line. */
@EnabledIf(value = "io.slipstream.it.Thorough#drawsSecond", disabledReason = "not drawn in this build")
class ReplicatedDifferentialIT extends DifferentialSuite {
    ReplicatedDifferentialIT() {
        super(BrokerLine.NEWEST);
    }

    /** A build leaves out the proxy without RDMA, which forwards these requests like all others. */
    @Override
    List<ArmKind> kinds() {
        return Thorough.isAsked() ? super.kinds() : List.of(ArmKind.DIRECT, ArmKind.PROXY_RDMA);
    }

    @Override
    Arms start(BrokerLine brokers, BrokerKeys keys, List<ArmKind> kinds) throws IOException {
        return ReplicatedCluster.start(brokers, keys, kinds);
    }

    @Override
    Stream<Case> cases() {
        return ReplicationCases.all().stream();
    }
}
