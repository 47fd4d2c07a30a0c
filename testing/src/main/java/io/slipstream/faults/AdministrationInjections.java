// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Performs administrative operations on logs and replicas in loops. Failures of single rounds are normal while brokers
 * are down.
 */
final class AdministrationInjections {
    private final ClusterAdministration cluster;
    private final Clients clients;

    AdministrationInjections(ClusterAdministration cluster, Clients clients) {
        this.cluster = cluster;
        this.clients = clients;
    }

    Injection of(Fault.Administration fault) {
        return switch (fault.faultClass()) {
            case SEGMENT_ROLL -> hold -> whileSet(clients.kept(), Map.of("segment.ms", "100"), fault, hold);
            case RETENTION ->
                hold -> {
                    announceAll();
                    whileSet(clients.trimmed(), Map.of("retention.ms", "200", "segment.ms", "100"), fault, hold);
                };
            case DELETE_RECORDS ->
                hold -> hold.repeat(
                        fault.rounds(),
                        fault.holdMs(),
                        () -> clients.trimmed().forEach(topic -> cluster.deleteRecords(topic, clients::trimming)));
            case TOPIC_RECREATE ->
                hold -> {
                    clients.recreate();
                    hold.forMs(fault.holdMs());
                };
            case LEADER_ELECTION ->
                hold -> hold.repeat(fault.rounds(), fault.holdMs(), () -> cluster.rotateLeaders(clients.kept()));
            case REASSIGNMENT ->
                hold -> {
                    try {
                        hold.repeat(fault.rounds(), fault.holdMs(), () -> cluster.moveReplicas(clients.kept()));
                    } finally {
                        ClusterAdministration.persistently(() -> cluster.assignAllReplicas(clients.kept()));
                    }
                };
            default ->
                throw new IllegalArgumentException(
                        fault.faultClass().name().toLowerCase(Locale.ROOT) + " is not an administrative fault");
        };
    }

    private void announceAll() {
        for (String topic : clients.trimmed()) {
            for (int partition : cluster.partitions(topic)) {
                clients.trimming(topic, partition, Long.MAX_VALUE);
            }
        }
    }

    private void whileSet(List<String> names, Map<String, String> settings, Fault.Administration fault, Hold hold) {
        try {
            names.forEach(topic -> cluster.set(topic, settings));
            hold.forMs(fault.holdMs());
        } finally {
            names.forEach(topic -> ClusterAdministration.persistently(() -> cluster.unset(topic, settings.keySet())));
        }
    }
}
