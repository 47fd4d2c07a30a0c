// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** The stock admin client's operations end to end: all requests except Produce and Fetch are forwarded. */
final class AdminCases {
    private static final long PATIENCE_S = 30;

    private AdminCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("admin-topics", AdminCases::topics).inCore(),
                Case.of("admin-records-and-groups", AdminCases::recordsAndGroups),
                Case.of("admin-errors", AdminCases::errors));
    }

    private static Admin admin(ArmContext arm) {
        return Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, arm.arm().bootstrap()));
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(PATIENCE_S, TimeUnit.SECONDS);
    }

    private static void topics(ArmContext arm) throws Exception {
        String name = "admin-" + arm.arm().kind().label();
        arm.transcript().alias(name, "topic");
        try (Admin admin = admin(arm)) {
            get(admin.createTopics(List.of(new NewTopic(name, 2, (short) 1).configs(Map.of("retention.ms", "600000"))))
                    .all());
            get(admin.createPartitions(Map.of(name, NewPartitions.increaseTo(3)))
                    .all());
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
            get(admin.incrementalAlterConfigs(Map.of(
                            resource,
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", "5000"), AlterConfigOp.OpType.SET))))
                    .all());
            await().atMost(Duration.ofSeconds(PATIENCE_S))
                    .until(() -> "5000"
                            .equals(get(admin.describeConfigs(List.of(resource)).all())
                                    .get(resource)
                                    .get("max.message.bytes")
                                    .value()));
            arm.note(
                    "retention",
                    get(admin.describeConfigs(List.of(resource)).all())
                            .get(resource)
                            .get("retention.ms")
                            .value());
            TopicDescription described =
                    get(admin.describeTopics(List.of(name)).allTopicNames()).get(name);
            arm.note("partitions", described.partitions().size());
            arm.note(
                    "leader has our address",
                    (described.partitions().get(0).leader().host()
                                    + ':'
                                    + described.partitions().get(0).leader().port())
                            .equals(arm.nodeAddress()));
            arm.note("cluster", get(admin.describeCluster().nodes()).size());
            arm.note("listed", get(admin.listTopics().names()).contains(name));
            get(admin.deleteTopics(List.of(name)).all());
            await().atMost(Duration.ofSeconds(PATIENCE_S))
                    .until(() -> !get(admin.listTopics().names()).contains(name));
            arm.note("deleted", true);
        }
    }

    private static void recordsAndGroups(ArmContext arm) throws Exception {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int i = 0; i < 5; i++) {
            arm.produce(client, topic, 0, arm.batch(2, 100));
        }
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        String group = "group-" + arm.arm().kind().label();
        try (Admin admin = admin(arm)) {
            arm.note(
                    "latest",
                    get(admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                                    .all())
                            .get(partition)
                            .offset());
            arm.note(
                    "low watermark",
                    get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(4)))
                            .all()
                            .thenApply(nothing -> "deleted")));
            arm.note(
                    "earliest",
                    get(admin.listOffsets(Map.of(partition, OffsetSpec.earliest()))
                                    .all())
                            .get(partition)
                            .offset());
            get(admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(7, "seven")))
                    .all());
            OffsetAndMetadata committed = get(admin.listConsumerGroupOffsets(group)
                            .partitionsToOffsetAndMetadata())
                    .get(partition);
            arm.note("committed", committed.offset() + " " + committed.metadata());
            arm.note(
                    "state",
                    get(admin.describeConsumerGroups(List.of(group)).all())
                            .get(group)
                            .groupState());
            get(admin.deleteConsumerGroups(List.of(group)).all());
            arm.note(
                    "log dirs",
                    get(admin.describeLogDirs(List.of(1)).allDescriptions()).size());
        }
    }

    private static void errors(ArmContext arm) throws Exception {
        String missing = "missing-" + arm.arm().kind().label();
        arm.transcript().alias(missing, "missing");
        try (Admin admin = admin(arm)) {
            Set<String> seen = new TreeSet<>();
            for (KafkaFuture<?> future : List.of(
                    admin.describeTopics(List.of(missing)).allTopicNames(),
                    admin.deleteTopics(List.of(missing)).all(),
                    admin.createTopics(List.of(new NewTopic("il/legal", 1, (short) 1)))
                            .all(),
                    admin.createTopics(List.of(new NewTopic(missing, 1, (short) 9)))
                            .all(),
                    admin.listOffsets(Map.of(new TopicPartition(missing, 0), OffsetSpec.latest()))
                            .all())) {
                try {
                    get(future);
                    seen.add("no error");
                } catch (ExecutionException refused) {
                    seen.add(refused.getCause().getClass().getSimpleName());
                }
            }
            arm.note("errors", seen);
        }
    }
}
