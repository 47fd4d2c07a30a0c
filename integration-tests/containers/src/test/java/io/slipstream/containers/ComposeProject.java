// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import com.github.dockerjava.api.DockerClient;
import io.slipstream.process.Checkout;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.testcontainers.containers.ComposeContainer;
import org.testcontainers.containers.DockerComposeContainer;
import org.testcontainers.lifecycle.Startable;

/**
 * {@code deploy/compose/compose.yaml} with the tests' override, as a separate project, started by Testcontainers
 * through the local compose program. Its name contains {@link #PREFIX} and the id of this process, by which {@link
 * StaleProjects} finds leftovers of dead processes.
 */
final class ComposeProject implements AutoCloseable {
    static final String PREFIX = "slipstreamtest";
    static final String PROJECT_LABEL = "com.docker.compose.project";
    static final String SERVICE_LABEL = "com.docker.compose.service";

    private static final Duration STEP_PATIENCE = Duration.ofSeconds(180);
    private static final Path FOLDER = Checkout.root().resolve("integration-tests/containers");
    private static final List<File> FILES = List.of(
            Checkout.root().resolve("deploy/compose/compose.yaml").toFile(),
            FOLDER.resolve("compose.test.yaml").toFile());

    private final DockerClient client;
    private final Map<String, String> environment;
    private final boolean plugin;
    private final Startable containers;
    private String name;

    private ComposeProject(DockerClient client, Map<String, String> environment, boolean plugin) {
        this.client = client;
        this.environment = environment;
        this.plugin = plugin;
        String identifier = PREFIX + ProcessHandle.current().pid() + "x";
        containers = plugin ? byPlugin(identifier) : byProgram(identifier);
    }

    /** @param variables variables of the Compose files in addition to {@code test.env} */
    static ComposeProject prepare(DockerClient client, Map<String, String> variables) {
        Map<String, String> environment = settings();
        environment.putAll(variables);
        boolean plugin = Program.run(STEP_PATIENCE, FOLDER, List.of("docker", "compose", "version"))
                        .status()
                == 0;
        if (!plugin && Program.find("docker-compose").isEmpty()) {
            throw Engine.unavailable("compose is not installed; apt-get install docker-compose");
        }
        return new ComposeProject(client, environment, plugin);
    }

    private Startable byPlugin(String identifier) {
        return new ComposeContainer(identifier, FILES.toArray(File[]::new))
                .withPull(false)
                .withEnv(environment);
    }

    private Startable byProgram(String identifier) {
        DockerComposeContainer<?> made = new DockerComposeContainer<>(identifier, FILES);
        made.withPull(false).withEnv(environment);
        return made;
    }

    void start() {
        try {
            containers.start();
        } finally {
            name = findName();
        }
    }

    /** Testcontainers adds a random part. */
    private String findName() {
        return client.listContainersCmd().withShowAll(true).exec().stream()
                .map(container -> container.getLabels().get(PROJECT_LABEL))
                .filter(project -> project != null
                        && project.startsWith(PREFIX + ProcessHandle.current().pid() + "x"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("compose started nothing"));
    }

    String name() {
        return name;
    }

    /**
     * Runs compose on this project.
     *
     * @param variables variables that replace the initial ones
     */
    void compose(Map<String, String> variables, String... arguments) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(variables);
        List<String> command = new ArrayList<>(plugin ? List.of("docker", "compose") : List.of("docker-compose"));
        command.addAll(List.of("-p", name));
        FILES.forEach(file -> command.addAll(List.of("-f", file.toString())));
        command.addAll(List.of(arguments));
        Program.require(STEP_PATIENCE, FOLDER, all, command);
    }

    @Override
    public void close() {
        containers.stop();
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        try {
            for (String line : Files.readAllLines(FOLDER.resolve("test.env"))) {
                int equals = line.indexOf('=');
                if (equals > 0 && !line.startsWith("#")) {
                    settings.put(line.substring(0, equals), line.substring(equals + 1));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return settings;
    }
}
