// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.BrokerLine;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Produce to a partition with two replicas, on the newest broker line. */
class ReplicatedDifferentialIT extends DifferentialSuite {
    ReplicatedDifferentialIT() {
        super(BrokerLine.NEWEST);
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
