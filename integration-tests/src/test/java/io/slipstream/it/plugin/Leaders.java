// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/** Waits for the leaders of new topics. */
final class Leaders {
    private Leaders() {}

    /**
     * Returns when a broker leads the partition. While the topic is unknown, the admin client fails at once, so this
     * method retries. Otherwise the admin client retries.
     */
    static void await(Admin admin, TopicPartition partition) {
        Awaitility.await().pollInSameThread().atMost(Duration.ofSeconds(20)).until(() -> {
            try {
                admin.listOffsets(Map.of(partition, OffsetSpec.latest())).all().get(20, TimeUnit.SECONDS);
                return true;
            } catch (ExecutionException unknown) {
                return false;
            }
        });
    }
}
