// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import io.slipstream.process.Checkout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The chart as rendered by helm. */
final class Chart {
    static final Path DIRECTORY = Checkout.root().resolve("deploy/helm/slipstream");
    static final Path VALUES = Checkout.root().resolve("deploy/helm/values");

    private static final long DEADLINE_S = 60;

    private Chart() {}

    /** @param options options such as {@code -f FILE} and {@code --set KEY=VALUE} */
    static Program template(Path chart, String... options) {
        List<String> command =
                new ArrayList<>(List.of("template", "events", chart.toString(), "--namespace", "events"));
        command.addAll(List.of(options));
        return helm(command);
    }

    static Program lint(String... options) {
        List<String> command = new ArrayList<>(List.of("lint", "--strict", DIRECTORY.toString()));
        command.addAll(List.of(options));
        return helm(command);
    }

    private static Program helm(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(DeployTools.helm().toString()));
        command.addAll(arguments);
        command.addAll(List.of("--kube-version", DeployTools.KUBERNETES + ".0"));
        return Program.run(Checkout.root(), Map.of(), DEADLINE_S, command);
    }
}
