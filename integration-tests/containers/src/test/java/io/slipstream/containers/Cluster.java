// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerNetwork;
import io.slipstream.process.Checkout;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three brokers with the plugin, two sidecars, and the other services of {@code deploy/compose}, in containers with the
 * same service names. Every wait has a deadline and throws on timeout. {@link #close} removes containers, networks and
 * volumes. Confined to one thread, except for {@link #counts} and {@link #exec}.
 */
public final class Cluster implements AutoCloseable {
    public static final List<String> BROKERS = List.of("broker-1", "broker-2", "broker-3");
    public static final List<String> SIDECARS = List.of("sidecar-a", "sidecar-b");

    private static final Logger log = LoggerFactory.getLogger(Cluster.class);
    private static final int KAFKA_PORT = 9092;
    /** Exit status of {@code images} and its scripts for a missing tool, which their output names. */
    private static final int TOOL_MISSING = 69;

    private static final Duration IMAGES_PATIENCE = Duration.ofMinutes(8);
    private static final Duration EXEC_PATIENCE = Duration.ofSeconds(30);
    private static final Duration START_PATIENCE = Duration.ofSeconds(300);
    private static final int STOP_SECONDS = 60;
    private static final Path FOLDER = Checkout.root().resolve("integration-tests/containers");

    private final DockerClient client;
    private final ComposeProject project;
    private final HostNames names = new HostNames();
    private final ClusterState state = new ClusterState(bootstrap(), this::refreshNames);

    private Cluster(DockerClient client, ComposeProject project) {
        this.client = client;
        this.project = project;
    }

    /** Builds the images and starts all services. Returns when the sidecars serve and every broker is registered. */
    public static Cluster start(Map<String, String> variables) {
        DockerClient client = Engine.require();
        StaleProjects.remove(client);
        long begunNs = System.nanoTime();
        buildImages();
        long builtNs = System.nanoTime();
        Cluster cluster = new Cluster(client, ComposeProject.prepare(client, variables));
        try {
            cluster.project.start();
            cluster.state.awaitBrokers(BROKERS.size(), START_PATIENCE);
            SIDECARS.forEach(cluster::awaitReady);
        } catch (RuntimeException | AssertionError e) {
            cluster.saveLogs("start");
            cluster.close();
            throw e;
        }
        log.info(
                "Images were ready in {} s, the cluster in {} s more",
                (builtNs - begunNs) / 1_000_000_000L,
                (System.nanoTime() - builtNs) / 1_000_000_000L);
        return cluster;
    }

    private static void buildImages() {
        Program.Result build = Program.run(
                IMAGES_PATIENCE, FOLDER, List.of(FOLDER.resolve("images").toString()));
        if (build.status() == TOOL_MISSING) {
            throw Engine.unavailable(build.output().strip());
        }
        if (build.status() != 0) {
            throw new IllegalStateException("images ended with status " + build.status() + ":\n" + build.output());
        }
    }

    /** Returns the brokers' own addresses, as reachable from this JVM without a proxy. */
    public static String bootstrap() {
        return String.join(
                ",", BROKERS.stream().map(name -> name + ":" + KAFKA_PORT).toList());
    }

    /** Returns the state of brokers and partitions, as the brokers report it. */
    public ClusterState state() {
        return state;
    }

    public DockerClient client() {
        return client;
    }

    /** Returns the container of a service, running or not. */
    public String container(String service) {
        return find(service).getId();
    }

    private Container find(String service) {
        return client
                .listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(
                        Map.of(ComposeProject.PROJECT_LABEL, project.name(), ComposeProject.SERVICE_LABEL, service))
                .exec()
                .stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no container of service " + service));
    }

    /** Sends SIGTERM, then SIGKILL after the service's grace period. */
    public void stop(String service) {
        client.stopContainerCmd(container(service)).withTimeout(STOP_SECONDS).exec();
    }

    /** Sends SIGKILL. */
    public void kill(String service) {
        client.killContainerCmd(container(service)).exec();
    }

    /**
     * Starts a stopped or killed container, or one that ended and that the engine has not restarted yet. Returns before
     * it serves.
     */
    public void start(String service) {
        try {
            client.startContainerCmd(container(service)).exec();
        } catch (NotModifiedException runsAlready) {
            // The engine's restart policy started it.
        }
        refreshNames();
    }

    /** Pauses all processes of a container. */
    public void pause(String service) {
        client.pauseContainerCmd(container(service)).exec();
    }

    public void resume(String service) {
        client.unpauseContainerCmd(container(service)).exec();
    }

    /**
     * Disconnects the service from the brokers' network, so that packets are lost without a reset. A sidecar's network
     * is that of its pod.
     */
    public void disconnect(String service) {
        client.disconnectFromNetworkCmd()
                .withNetworkId(network())
                .withContainerId(container(service))
                .withForce(true)
                .exec();
    }

    /** Reconnects the service under the same names; its address may change. */
    public void connect(String service) {
        client.connectToNetworkCmd()
                .withNetworkId(network())
                .withContainerId(container(service))
                .withContainerNetwork(new ContainerNetwork().withAliases(service, service.replace("pod-", "sidecar-")))
                .exec();
    }

    private String network() {
        return project.name() + "_brokers";
    }

    /** Returns the address on the brokers' network, or null. */
    public String address(String service) {
        var settings = find(service).getNetworkSettings();
        ContainerNetwork network =
                settings == null ? null : settings.getNetworks().get(network());
        return network == null
                        || network.getIpAddress() == null
                        || network.getIpAddress().isEmpty()
                ? null
                : network.getIpAddress();
    }

    /** Recreates the service's container if the variables change its definition, such as its image. Volumes stay. */
    public void replace(String service, Map<String, String> variables) {
        project.compose(variables, "up", "-d", "--no-deps", "--no-build", service);
        refreshNames();
    }

    /** @return the command's output; throws if its status is not 0 */
    public String exec(String service, String... command) {
        List<String> all = new ArrayList<>(List.of("docker", "exec", container(service)));
        all.addAll(List.of(command));
        return Program.require(EXEC_PATIENCE, FOLDER, Map.of(), all);
    }

    /** Returns a page of a sidecar's management port including headers; empty if it does not answer. */
    public String page(String sidecar, String path) {
        try {
            return exec(
                    sidecar,
                    "bash",
                    "-c",
                    "exec 3<>/dev/tcp/127.0.0.1/9091; printf 'GET " + path
                            + " HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3");
        } catch (IllegalStateException e) {
            return "";
        }
    }

    public void awaitReady(String sidecar) {
        if (!Deadline.after(START_PATIENCE).await(() -> page(sidecar, "/readyz").startsWith("HTTP/1.1 200 "))) {
            throw new IllegalStateException(sidecar + " is not ready: " + page(sidecar, "/readyz"));
        }
    }

    /** Waits until the container's health check passes. */
    public void awaitHealthy(String service, Duration patience) {
        String container = container(service);
        Deadline deadline = Deadline.after(patience);
        if (!deadline.await(() -> "healthy".equals(health(container)))) {
            throw new IllegalStateException(service + " is " + health(container) + " after " + patience);
        }
    }

    private String health(String container) {
        var health = client.inspectContainerCmd(container).exec().getState().getHealth();
        return health == null ? "not checked" : health.getStatus();
    }

    /** Returns records by path over all sidecars. A restarted sidecar counts from 0. */
    public PathCounts counts() {
        PathCounts sum = PathCounts.NONE;
        for (String sidecar : SIDECARS) {
            sum = sum.plus(counts(sidecar));
        }
        return sum;
    }

    public PathCounts counts(String sidecar) {
        return PathCounts.in(metrics(sidecar));
    }

    public MetricSamples metrics(String sidecar) {
        String page = page(sidecar, "/metrics");
        int body = page.indexOf("\r\n\r\n");
        if (body < 0) {
            throw new IllegalStateException(sidecar + " shows no metrics: " + page);
        }
        return MetricSamples.parse(page.substring(body + 4));
    }

    public String logs(String service) {
        return Program.run(EXEC_PATIENCE, FOLDER, List.of("docker", "logs", "--timestamps", container(service)))
                .output();
    }

    /** Waits until the service has logged the words. */
    public void awaitLog(String service, String words, Duration patience) {
        if (!Deadline.after(patience).await(() -> logs(service).contains(words))) {
            throw new IllegalStateException(service + " has not logged \"" + words + "\" within " + patience);
        }
    }

    /** Writes logs to {@code target/containers/NAME}, one file per service. */
    public void saveLogs(String name) {
        Path folder = FOLDER.resolve("target/containers").resolve(name);
        try {
            Files.createDirectories(folder);
            for (Container container : client.listContainersCmd()
                    .withShowAll(true)
                    .withLabelFilter(Map.of(ComposeProject.PROJECT_LABEL, project.name()))
                    .exec()) {
                String service = container.getLabels().get(ComposeProject.SERVICE_LABEL);
                Files.writeString(folder.resolve(service + ".log"), logs(service));
            }
            for (String sidecar : SIDECARS) {
                Files.writeString(folder.resolve(sidecar + ".metrics"), page(sidecar, "/metrics"));
            }
            log.info("Logs of all containers are in {}", folder);
        } catch (IOException | RuntimeException e) {
            log.warn("Logs of containers could not be saved", e);
        }
    }

    private void refreshNames() {
        Map<String, String> addresses = new HashMap<>();
        for (String broker : BROKERS) {
            String address = address(broker);
            if (address != null) {
                addresses.put(broker, address);
            }
        }
        names.write(addresses);
    }

    @Override
    public void close() {
        state.close();
        project.close();
    }
}
