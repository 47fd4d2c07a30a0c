// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Guarantees of the images and the Compose file besides the data path. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterIT {
    @Test
    void shouldRunEveryServiceAsAnOrdinaryUserWithAReadOnlyRoot(Cluster cluster) {
        for (String service : new String[] {"broker-1", "sidecar-a"}) {
            assertThat(cluster.exec(service, "id", "-u").strip()).isEqualTo("1000");
            assertThat(cluster.exec(service, "bash", "-c", "touch /opt/slipstream/x 2>&1 || true"))
                    .contains("Read-only file system");
            assertThat(cluster.exec(service, "bash", "-c", "grep CapEff /proc/self/status"))
                    .contains("0000000000000000");
        }
    }

    @Test
    void shouldNotLoadTheAgentIntoToolsInABrokersContainer(Cluster cluster) {
        assertThat(cluster.exec("broker-1", "bash", "-c", "echo \"[$KAFKA_OPTS]\""))
                .startsWith("[]");
        String[] tool = {
            "env", "KAFKA_HEAP_OPTS=-Xmx64m -Xlog:class+load", "/opt/kafka/bin/kafka-storage.sh", "random-uuid"
        };
        assertThat(cluster.exec("broker-1", tool)).contains("StorageTool").doesNotContain("slipstream");
        assertThat(cluster.exec("broker-1", "bash", "-c", "tr '\\0' ' ' </proc/1/cmdline"))
                .contains("-javaagent:/opt/slipstream/slipstream-broker-plugin.jar");
    }

    @Test
    void shouldPassTheHealthChecksOfAllContainers(Cluster cluster) {
        for (String service : new String[] {"broker-1", "broker-2", "broker-3", "sidecar-a", "sidecar-b"}) {
            cluster.awaitHealthy(service, Duration.ofSeconds(60));
        }
    }
}
