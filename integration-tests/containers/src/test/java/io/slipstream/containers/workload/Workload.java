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
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Running clients in four languages, two next to each sidecar, each with its own topic. Stop and judge it once; {@link
 * #close} removes the clients in any case and keeps their output. Confined to one thread.
 */
public final class Workload implements AutoCloseable {
    public static final int PARTITIONS = 6;

    private static final Duration READ_PATIENCE = Patience.ofSeconds(30);
    /** Longer than a client needs to flush and to read the rest. */
    private static final int STOP_SECONDS = Patience.ms(45);

    private static final String IMAGE = "slipstream-test-clients:1";
    private static final Path RESULTS = Checkout.root().resolve("integration-tests/containers/target/results");
    /** The pod whose sidecar serves the client on localhost, by language. */
    private static final Map<String, String> PODS =
            new TreeMap<>(Map.of("java", "pod-a", "python", "pod-b", "go", "pod-b", "node", "pod-a"));

    private final Cluster cluster;
    private final String name;
    private final Set<String> languages;
    private final Path results;
    private final ProgressWatch progress;
    /** Container by language. */
    private final Map<String, String> clients = new TreeMap<>();

    private Workload(Cluster cluster, String name, Set<String> languages) {
        this.cluster = cluster;
        this.name = name;
        this.languages = languages;
        results = emptyDirectory(RESULTS.resolve(name));
        progress = new ProgressWatch(results);
    }

    /**
     * Creates the topics and starts all clients. Returns when each has sent and read.
     *
     * @param name unique in this cluster; prefix of the topics
     */
    public static Workload start(Cluster cluster, String name) throws Exception {
        return start(cluster, name, PODS.keySet());
    }

    /** As above, with the clients of some languages. */
    public static Workload start(Cluster cluster, String name, Set<String> languages) throws Exception {
        Workload workload = new Workload(cluster, name, languages);
        try {
            cluster.state().createTopics(workload.topics(), PARTITIONS);
            languages.forEach(workload::startClient);
            workload.awaitProgress(100, Patience.ofSeconds(60));
            return workload;
        } catch (Exception | Error e) {
            workload.close();
            throw e;
        }
    }

    private List<String> topics() {
        return languages.stream().map(this::topic).toList();
    }

    private String topic(String language) {
        return name + "-" + language;
    }

    private void startClient(String language) {
        DockerClient docker = cluster.client();
        String pod = cluster.container(PODS.get(language));
        // Makes removal and logging of the project include these containers.
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

    /**
     * Returns when each client has had this many more records acknowledged and read. Throws with all counts on timeout.
     */
    public void awaitProgress(long records, Duration patience) {
        Map<String, Progress> before = progress.counts();
        progress.await(languages, before, records, patience);
    }

    /**
     * Lets all clients finish, then reads the topics at the brokers and judges. All brokers must serve.
     *
     * @return a clean verdict; throws with the anomalies otherwise
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
                    "the " + language + " client ended with status " + status + "; its output is in " + results);
        }
    }

    @Override
    public void close() {
        clients.values().forEach(id -> {
            try {
                cluster.client().removeContainerCmd(id).withForce(true).exec();
            } catch (NotFoundException gone) {
                // Expected.
            }
        });
        clients.clear();
    }

    /** Clients run as another user than this process. */
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
