// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The administration of the secured quickstart, done by {@code admin} directly at the broker: grants and revokes ACLs,
 * and counts written records. Confined to one thread.
 */
final class Administrator implements AutoCloseable {
    /** Prefix of the names of the groups in which {@link Role#DASHBOARD} may read. */
    static final String GROUPS = "traffic-";

    static final AclBinding SENSORS_WRITE = topic(Role.SENSORS, AclOperation.WRITE);
    static final AclBinding DASHBOARD_READ = topic(Role.DASHBOARD, AclOperation.READ);

    private static final List<AclBinding> ALL = List.of(
            SENSORS_WRITE,
            topic(Role.SENSORS, AclOperation.DESCRIBE),
            topic(Role.SENSORS, AclOperation.CREATE),
            DASHBOARD_READ,
            topic(Role.DASHBOARD, AclOperation.DESCRIBE),
            allow(
                    Role.DASHBOARD,
                    AclOperation.READ,
                    new ResourcePattern(ResourceType.GROUP, GROUPS, PatternType.PREFIXED)));

    private static final Duration PATIENCE = Patience.ofSeconds(20);

    private final Admin admin;

    /** @param client settings of {@link Role#ADMIN} */
    Administrator(String bootstrapServers, Map<String, Object> client) {
        Map<String, Object> settings = new HashMap<>(client);
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        admin = Admin.create(settings);
    }

    void giveAll() {
        give(ALL);
    }

    /** Creates ACLs and returns when the broker applies them. */
    void give(Collection<AclBinding> rules) {
        await(admin.createAcls(rules).all(), "cannot create ACLs " + rules);
        // The controller applies ACLs first; until the broker has them, it refuses an authorized client.
        boolean known = Deadline.after(PATIENCE)
                .await(() -> await(admin.describeAcls(AclBindingFilter.ANY).values(), "cannot read the ACLs")
                        .containsAll(rules));
        if (!known) {
            throw new IllegalStateException("the broker does not apply " + rules);
        }
    }

    /** Requests deletion of the ACL and returns at once. */
    Future<?> take(AclBinding rule) {
        return admin.deleteAcls(List.of(rule.toFilter()))
                .all()
                .toCompletionStage()
                .toCompletableFuture();
    }

    /**
     * Restores the ACL.
     *
     * @param taken result of {@link #take}, or null if it was not called
     */
    void giveBack(AclBinding rule, Future<?> taken) {
        if (taken != null) {
            await(taken, "cannot delete ACL " + rule);
            give(List.of(rule));
        }
    }

    /** Returns the number of records in the topic's partitions. */
    long written() {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < TrafficSensors.ROADS; partition++) {
            ends.put(new TopicPartition(Demonstration.TOPIC, partition), OffsetSpec.latest());
        }
        return await(admin.listOffsets(ends).all(), "cannot read the end offsets").values().stream()
                .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
                .sum();
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }

    private static <T> T await(Future<T> answer, String failure) {
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(failure, e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(failure, e);
        }
    }

    private static AclBinding topic(Role role, AclOperation operation) {
        return allow(
                role, operation, new ResourcePattern(ResourceType.TOPIC, Demonstration.TOPIC, PatternType.LITERAL));
    }

    private static AclBinding allow(Role role, AclOperation operation, ResourcePattern what) {
        return new AclBinding(
                what, new AccessControlEntry("User:" + role.user(), "*", operation, AclPermissionType.ALLOW));
    }
}
