// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import io.slipstream.it.Tool;
import io.slipstream.process.Checkout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Programs from package registries that Debian does not package. {@code integration-tests/deploy-tools} builds each
 * once. Without them tests are skipped with the reason; see {@link Tool}.
 */
final class DeployTools {
    static final String KUBERNETES = "1.34";

    private static final long DEADLINE_S = 900;

    private DeployTools() {}

    /** Python with Kubernetes' schemas as strict JSON schemas. */
    static Path python() {
        return made("python");
    }

    /** Directory of the definitions of PodMonitor, PrometheusRule and so on. */
    static Path definitions() {
        return made("definitions");
    }

    private static Path made(String name) {
        Path root = Checkout.root();
        Path maker = root.resolve("integration-tests/deploy-tools");
        Program making = Program.run(root, Map.of(), DEADLINE_S, List.of(maker.toString(), name));
        if (making.status() != 0) {
            Tool.unavailable(name + ": " + making.text().strip());
        }
        return Path.of(making.output().strip());
    }
}
