// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import io.slipstream.containers.Cluster;
import io.slipstream.containers.workload.ProgressWatch.Progress;
import io.slipstream.process.Checkout;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Clients in four languages at work, two beside each sidecar, each with a topic of its own. To be stopped and judged once; {@link #close} removes the clients in any case and keeps what they wrote. Used by one thread.
 */
public final class Workload implements AutoCloseable {
    public static final int PARTITIONS = 6;

    private static final Duration READ_PATIENCE = Patience.ofSeconds(30);
    /** Longer than a client takes to flush and to read what is left. */
    private static final int STOP_SECONDS = Patience.ms(45);

    private static final String IMAGE = "slipstream-test-clients:1";
    private static final Path RESULTS = Checkout.root().resolve("integration-tests/containers/target/results");
    /** The pod, whose sidecar serves on localhost there, by language. */
    private static final Map<String, String> PODS =
            new TreeMap<>(Map.of("java", "pod-a", "python", "pod-b", "go", "pod-b", "node", "pod-a"));

    private final Cluster cluster;
    private final String name;
    private final Path results;
    private final ProgressWatch progress;
    /** Container by language. */
    private final Map<String, String> clients = new TreeMap<>();

    private Workload(Cluster cluster, String name) {
        this.cluster = cluster;
        this.name = name;
        results = emptyDirectory(RESULTS.resolve(name));
        progress = new ProgressWatch(results);
    }

    /**
     * Makes the topics and starts all clients; returns when each of them has sent and read.
     *
     * @param name not used by any other workload of this cluster; topics begin with it
     */
    public static Workload start(Cluster cluster, String name) throws Exception {
        Workload workload = new Workload(cluster, name);
        try {
            cluster.state().createTopics(workload.topics(), PARTITIONS);
            PODS.keySet().forEach(workload::startClient);
            workload.awaitProgress(100, Patience.ofSeconds(60));
            return workload;
        } catch (Exception | Error e) {
            workload.close();
            throw e;
        }
    }

    private List<String> topics() {
        return PODS.keySet().stream().map(this::topic).toList();
    }

    private String topic(String language) {
        return name + "-" + language;
    }

    private void startClient(String language) {
        DockerClient docker = cluster.client();
        String pod = cluster.container(PODS.get(language));
        // So that what removes and logs a project's containers finds these, too.
        Map<String, String> labels =
                new HashMap<>(docker.inspectContainerCmd(pod).exec().getConfig().getLabels());
        labels.put("com.docker.compose.service", "client-" + language);
        String id = docker.createContainerCmd(IMAGE)
                .withCmd(language)
                .withEnv("TOPIC=" + topic(language), "PARTITIONS=" + PARTITIONS)
                .withLabels(labels)
                .withHostConfig(HostConfig.newHostConfig()
                        .withNetworkMode("container:" + pod)
                        .withReadonlyRootfs(true)
                        .withTmpFs(Map.of("/tmp", "exec,mode=1777,size=64m"))
                        .withCapDrop(Capability.ALL)
                        .withBinds(Bind.parse(results + ":/results")))
                .exec()
                .getId();
        clients.put(language, id);
        docker.startContainerCmd(id).exec();
    }

    /** Returns when each client has sent, and seen acknowledged, and read, so many records more than it has now. Throws, with the counts of all, if not in time. */
    public void awaitProgress(long records, Duration patience) {
        Map<String, Progress> before = progress.counts();
        progress.await(PODS.keySet(), before, records, patience);
    }

    /**
     * Lets all clients finish, then reads the topics at the brokers and judges. All brokers must serve again.
     *
     * @return clean, or this throws with what is wrong
     */
    public Verdict stopAndJudge() {
        Map<String, String> running = new TreeMap<>(clients);
        running.values().parallelStream()
                .forEach(id -> cluster.client()
                        .stopContainerCmd(id)
                        .withTimeout(STOP_SECONDS)
                        .exec());
        running.forEach(this::requireSuccess);
        List<LoggedRecord> log = LogReader.readAll(Cluster.bootstrap(), topics(), READ_PATIENCE);
        Verdict verdict = Verdict.on(ClientResults.in(results), log);
        if (!verdict.isClean()) {
            throw new AssertionError(name + ": " + verdict.text());
        }
        return verdict;
    }

    private void requireSuccess(String language, String id) {
        Long status = cluster.client().inspectContainerCmd(id).exec().getState().getExitCodeLong();
        if (status == null || status != 0) {
            throw new AssertionError(
                    "the " + language + " client ended with status " + status + "; what it wrote is in " + results);
        }
    }

    @Override
    public void close() {
        clients.values().forEach(id -> {
            try {
                cluster.client().removeContainerCmd(id).withForce(true).exec();
            } catch (NotFoundException gone) {
                // As it should be.
            }
        });
        clients.clear();
    }

    /** Clients are another user than this process. */
    private static Path emptyDirectory(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make " + directory, e);
        }
    }
}
