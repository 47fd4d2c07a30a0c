// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Topology;
import java.util.Map;

/**
 * Broker settings that shorten fault detection from half a minute to a second or two, so that a run can contain more
 * faults.
 */
final class BrokerKeys {
    private BrokerKeys() {}

    static Map<String, String> all(Topology topology) {
        return Map.ofEntries(
                // The minimum, which causes several rolls per minute.
                Map.entry("log.segment.bytes", "1048576"),
                Map.entry("min.insync.replicas", topology.brokers() == 1 ? "1" : "2"),
                Map.entry("auto.create.topics.enable", "false"),
                Map.entry("broker.heartbeat.interval.ms", "500"),
                Map.entry("broker.session.timeout.ms", "3000"),
                Map.entry("replica.lag.time.max.ms", "2000"),
                Map.entry("replica.fetch.backoff.ms", "200"),
                Map.entry("controlled.shutdown.enable", "true"),
                Map.entry("group.min.session.timeout.ms", "500"),
                Map.entry("log.initial.task.delay.ms", "500"),
                Map.entry("log.retention.check.interval.ms", "300"),
                Map.entry("log.segment.delete.delay.ms", "1000"),
                Map.entry("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000"),
                Map.entry("num.network.threads", "2"),
                Map.entry("num.io.threads", "4"),
                Map.entry("log.cleaner.dedupe.buffer.size", "4194304"));
    }

    /** Where clients use RDMA, followers do, too. */
    static Map<String, String> ofPlugin(Arm arm) {
        return Map.of("slipstream.lease.ms", "1000", "slipstream.replication", arm == Arm.RDMA ? "auto" : "off");
    }
}
