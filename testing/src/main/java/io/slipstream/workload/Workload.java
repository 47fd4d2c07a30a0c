// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ProducerKind;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.TopicPartition;

/** Runs the clients of a plan until stopped. The history records everything that happens to them. */
public final class Workload implements AutoCloseable {
    private static final Duration CREATION_PATIENCE = Patience.ofSeconds(60);

    private final List<Role> roles = new ArrayList<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final List<String> topics;
    private volatile boolean stopping;

    private Workload(List<String> topics) {
        this.topics = topics;
    }

    /**
     * Creates the topics and starts the clients.
     *
     * @param clients client settings
     * @param direct settings for the creation of topics, directly at the brokers
     */
    public static Workload start(RecordedRun run, WorkloadPlan plan, ClientSettings clients, ClientSettings direct) {
        return start(run, plan, WorkloadShape.uniform(clients), direct);
    }

    /** The same with several bootstrap addresses and with topic settings. */
    public static Workload start(RecordedRun run, WorkloadPlan plan, WorkloadShape shape, ClientSettings direct) {
        Workload workload = new Workload(plan.topics());
        workload.createTopics(run, plan, shape, direct);
        workload.addRoles(run, plan, shape);
        workload.roles.forEach(role -> role.start(plan.topics().get(0)));
        return workload;
    }

    private void createTopics(RecordedRun run, WorkloadPlan plan, WorkloadShape shape, ClientSettings direct) {
        List<String> names = new ArrayList<>(plan.topics());
        for (int copier = 0; copier < plan.copiers(); copier++) {
            names.add(plan.copyTopic(copier));
        }
        List<NewTopic> topics = names.stream()
                .map(name ->
                        new NewTopic(name, plan.partitions(), (short) plan.replicas()).configs(shape.topicSettings()))
                .toList();
        try (Admin admin = Admin.create(direct.common())) {
            admin.createTopics(topics).all().get(CREATION_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            awaitLeaders(admin, partitions(names, plan.partitions()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while topics were created", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot create topics " + names, e);
        }
        names.forEach(name -> run.declareTopic(name, plan.partitions()));
    }

    /**
     * Brokers name a leader before it accepts appends, and accept any first sequence of a producer. The broker may
     * refuse the first batch sent meanwhile and append the second: a gap (I15), which the producer closes with a new
     * epoch.
     */
    private static void awaitLeaders(Admin admin, List<TopicPartition> partitions) throws TimeoutException {
        Map<TopicPartition, OffsetSpec> ends =
                partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
        if (!Deadline.after(CREATION_PATIENCE).await(() -> takeAppends(admin, ends))) {
            throw new TimeoutException("no leader for one of " + partitions);
        }
    }

    /** The client retries by itself, except while brokers do not know the topic. */
    private static boolean takeAppends(Admin admin, Map<TopicPartition, OffsetSpec> ends) {
        try {
            admin.listOffsets(ends).all().get(CREATION_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while leaders were awaited", e);
        }
    }

    private void addRoles(RecordedRun run, WorkloadPlan plan, WorkloadShape shape) {
        List<TopicPartition> all = partitions(plan.topics(), plan.partitions());
        roles.add(new ObserverRole(run, shape.entrance(0), all));
        roles.add(new RawRole(run, shape.entrance(0), all, plan.seed()));
        addProducers(run, plan, shape, ProducerKind.IDEMPOTENT, plan.idempotent(), all);
        addProducers(run, plan, shape, ProducerKind.PLAIN, plan.plain(), all);
        addProducers(run, plan, shape, ProducerKind.TRANSACTIONAL, plan.transactional(), all);
        for (int i = 0; i < plan.readers(); i++) {
            roles.add(new ReaderRole("reader-" + i, run, shape.entrance(i), i % 2 == 1, all, plan.seed()));
        }
        for (int i = 0; i < plan.slowReaders(); i++) {
            roles.add(new SlowReaderRole("slow-reader-" + i, run, shape.entrance(i), all));
        }
        for (int i = 0; i < plan.members(); i++) {
            ClientSettings clients = shape.entrance(i);
            roles.add(new MemberRole(
                    "member-" + i, run, clients, group(clients.groupProtocol()), plan.topics(), plan.seed()));
        }
        for (int i = 0; i < plan.copiers(); i++) {
            addCopier(run, plan, shape.entrance(i), i);
        }
    }

    private void addProducers(
            RecordedRun run,
            WorkloadPlan plan,
            WorkloadShape shape,
            ProducerKind kind,
            int count,
            List<TopicPartition> all) {
        for (int i = 0; i < count; i++) {
            String name = kind.name().toLowerCase(Locale.ROOT) + "-" + i;
            roles.add(new ProducerRole(name, run, shape, i, plan.producer(kind, i), all, plan, acknowledged));
        }
    }

    /** Returns the group of the plan's members of that protocol. */
    public static String group(GroupProtocol protocol) {
        return protocol == GroupProtocol.CLASSIC ? "members" : "consumer-members";
    }

    private void addCopier(RecordedRun run, WorkloadPlan plan, ClientSettings clients, int number) {
        String name = "copier-" + number;
        String output = plan.copyTopic(number);
        List<TopicPartition> inputs = partitions(plan.topics().subList(0, 1), plan.partitions());
        inputs.forEach(input -> run.declareCopy(input, new TopicPartition(output, input.partition()), name));
        ProducerPlan producer = new ProducerPlan(ProducerKind.TRANSACTIONAL, -1, name, plan.codec(number));
        roles.add(new CopierRole(name, run, clients, producer, inputs, output, plan.seed(), acknowledged));
    }

    private static List<TopicPartition> partitions(List<String> topics, int partitions) {
        List<TopicPartition> all = new ArrayList<>();
        for (String topic : topics) {
            for (int index = 0; index < partitions; index++) {
                all.add(new TopicPartition(topic, index));
            }
        }
        return List.copyOf(all);
    }

    /** Returns the number of acknowledged sends. */
    public int acknowledged() {
        return acknowledged.get();
    }

    public List<String> topics() {
        return topics;
    }

    /** Returns whether the workload is stopping. */
    public boolean isStopping() {
        return stopping;
    }

    /** Returns the records delivered so far, by reader; two calls show which readers progress. */
    public Map<String, Long> given() {
        return roles.stream()
                .filter(ReaderRole.class::isInstance)
                .map(ReaderRole.class::cast)
                .collect(Collectors.toMap(Role::name, ReaderRole::given));
    }

    /** Returns client errors that are not Kafka's: bugs of the workload, or wrong records. */
    public List<String> failures() {
        return roles.stream()
                .filter(role -> role.failure() != null)
                .map(role -> role.name() + ": " + role.failure())
                .toList();
    }

    /** Lets every client complete its work. Returns the names of those that time out. */
    public List<String> stop(Duration patience) {
        stopping = true;
        return stop(roles, patience);
    }

    /** Likewise, but only producers that copy nothing, so that copiers and readers reach the end. */
    public List<String> stopProducers(Duration patience) {
        return stop(roles.stream().filter(ProducerRole.class::isInstance).toList(), patience);
    }

    private static List<String> stop(List<Role> roles, Duration patience) {
        roles.forEach(Role::stop);
        Deadline deadline = Deadline.after(patience);
        return roles.stream()
                .filter(role -> !role.awaitEnd(deadline))
                .map(Role::name)
                .toList();
    }

    /** Stops within a minute or throws. */
    @Override
    public void close() {
        List<String> late = stop(Patience.ofSeconds(60));
        if (!late.isEmpty()) {
            throw new IllegalStateException("clients do not stop: " + late);
        }
    }
}
