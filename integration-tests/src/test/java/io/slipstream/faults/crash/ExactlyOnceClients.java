// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.Arm;
import io.slipstream.history.Recorder;
import io.slipstream.history.RunEvent.FaultsStopped;
import io.slipstream.history.RunKind;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.workload.ClientSettings;
import io.slipstream.workload.FinalRead;
import io.slipstream.workload.GroupState;
import io.slipstream.workload.LogDump;
import io.slipstream.workload.RecordedRun;
import io.slipstream.workload.Workload;
import io.slipstream.workload.WorkloadPlan;
import io.slipstream.workload.WorkloadShape;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Stock clients through a proxy: two producers of one topic, two transactional copiers of it, a Streams job at
 * exactly-once, and two groups of two members, one of each protocol.
 */
final class ExactlyOnceClients implements AutoCloseable {
    private static final String INPUT = "orders";
    private static final String STREAMED = "orders-streamed";
    private static final String JOB = "job";
    private static final int PARTITIONS = 2;
    private static final int RECORDS_PER_SECOND = 200;
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private final CrashDeployment deployment;
    private final RecordedRun run;
    private final ClientSettings clients;
    private final ClientSettings direct;
    private final Admin admin;
    private final Workload workload;
    private final StreamsJob job;

    /** Declares the run in the history. Returns when all clients are started. */
    ExactlyOnceClients(CrashDeployment deployment, long seed, Recorder recorder, Path state) {
        this.deployment = deployment;
        String bootstrap = deployment.proxies().get(0).bootstrapServers();
        String brokers = deployment.broker().bootstrapServers();
        clients = new ClientSettings(bootstrap, Patience.ms(3_000), Patience.ms(30_000));
        direct = new ClientSettings(brokers, Patience.ms(3_000), Patience.ms(30_000));
        run = new RecordedRun(
                recorder,
                RunKind.KILLS,
                Arm.RDMA.name().toLowerCase(Locale.ROOT),
                seed,
                deployment.broker().clusterId());
        admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers));
        await(admin.createTopics(IntStream.range(0, PARTITIONS)
                        .mapToObj(index -> new NewTopic(StreamsJob.output(STREAMED, index), 1, (short) 1))
                        .toList())
                .all());
        // Members and copiers take the protocols in turn.
        WorkloadShape shape = new WorkloadShape(List.of(clients, clients.with(GroupProtocol.CONSUMER)), Map.of(), 0);
        WorkloadPlan plan = new WorkloadPlan(
                seed,
                List.of(INPUT),
                PARTITIONS,
                1,
                List.of("none", "lz4"),
                2,
                0,
                0,
                1,
                0,
                4,
                2,
                400,
                RECORDS_PER_SECOND);
        workload = Workload.start(run, plan, shape, direct);
        job = new StreamsJob(bootstrap, JOB, INPUT, STREAMED, state);
    }

    long acknowledged() {
        return workload.acknowledged();
    }

    /** Lets all groups read the input to its end, stops the clients and records the end. */
    void finish() {
        run.recorder().record(new FaultsStopped(run.recorder().nowNs()));
        assertThat(workload.stopProducers(PATIENCE)).as("late producers").isEmpty();
        Map<TopicPartition, Long> ends = ends();
        for (String group : groups()) {
            Deadline.after(PATIENCE).await(() -> committed(group).equals(ends));
            assertThat(committed(group)).as("committed offsets of %s", group).isEqualTo(ends);
        }
        job.close();
        assertThat(workload.stop(PATIENCE)).as("late clients").isEmpty();
        assertThat(workload.failures()).isEmpty();
        assertThat(FinalRead.recordBoth(run, clients, PATIENCE))
                .as("not read to the end")
                .isEmpty();
        GroupState.record(run, direct);
        new LogDump(run)
                .record(
                        direct,
                        Map.of(deployment.broker().nodeId(), deployment.broker().logDirectory()));
        ends.keySet()
                .forEach(input -> StreamedOutput.assertExact(
                        deployment.broker().bootstrapServers(),
                        input,
                        new TopicPartition(StreamsJob.output(STREAMED, input.partition()), 0)));
    }

    private List<String> groups() {
        return Stream.concat(
                        Stream.of(GroupProtocol.values()).map(Workload::group), Stream.of("copier-0", "copier-1", JOB))
                .toList();
    }

    private Map<TopicPartition, Long> ends() {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        for (int index = 0; index < PARTITIONS; index++) {
            latest.put(new TopicPartition(INPUT, index), OffsetSpec.latest());
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> answer =
                await(admin.listOffsets(latest).all());
        answer.forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private Map<TopicPartition, Long> committed(String group) {
        Map<TopicPartition, Long> committed = new HashMap<>();
        await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> committed.put(partition, offset == null ? -1 : offset.offset()));
        return committed;
    }

    private static <T> T await(KafkaFuture<T> answer) {
        try {
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the broker does not answer", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
        job.close();
        workload.close();
    }
}
