// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.github.dockerjava.api.DockerClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.testcontainers.DockerClientFactory;

/**
 * The Docker engine of this machine. Without one, tests are skipped with the reason; in continuous integration they
 * fail.
 */
final class Engine {
    private static final boolean MUST_BE_THERE = "1".equals(System.getenv("SLIPSTREAM_CI"));
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static DockerClient client;

    private Engine() {}

    /** Never returns null; ends the test if there is no engine. */
    static synchronized DockerClient require() {
        if (client == null) {
            if (Program.find("docker").isEmpty()) {
                throw unavailable("docker is not installed; apt-get install docker.io");
            }
            Program.Result asked =
                    Program.run(PATIENCE, Path.of("."), List.of("docker", "version", "-f", "{{.Server.APIVersion}}"));
            if (asked.status() != 0) {
                throw unavailable("no Docker engine answers: " + asked.output().strip());
            }
            // Testcontainers requests a newer API than old engines support.
            System.setProperty("api.version", asked.output().strip());
            client = DockerClientFactory.instance().client();
        }
        return client;
    }

    /** Never returns normally. */
    static IllegalStateException unavailable(String reason) {
        if (MUST_BE_THERE) {
            fail(reason);
        }
        abort(reason);
        return new IllegalStateException(reason);
    }
}
