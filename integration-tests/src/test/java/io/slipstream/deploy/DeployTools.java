package io.slipstream.deploy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.harness.Checkout;
import io.slipstream.it.Tool;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * Programs that no Debian package has, from package registries, at one version each: made once into {@code .slipstream/tools} of the checkout.
 * Where one cannot be had, tests are skipped with the reason; see {@link Tool}.
 */
final class DeployTools {
    static final String KUBERNETES = "1.34";

    private static final String HELM = "v3.18.6";
    private static final String KUBERNETES_VALIDATE = "1.34.1";
    private static final String PROMETHEUS_OPERATOR = "v0.82.2";
    /** Compiling helm takes two minutes of processor time. */
    private static final long BUILD_DEADLINE_S = 900;

    private static final Path TOOLS = Checkout.root().resolve(".slipstream/tools");
    private static final ObjectMapper JSON = new ObjectMapper();

    private DeployTools() {}

    static Path helm() {
        Path helm = TOOLS.resolve("helm-" + HELM + "/helm");
        makeOnce(helm, "helm", directory -> {
            Tool.require("go", "golang-go");
            return run(
                    directory,
                    Map.of("GOBIN", directory.toString(), "CGO_ENABLED", "0", "GOFLAGS", ""),
                    "go",
                    "install",
                    "-ldflags=-s -w",
                    "helm.sh/helm/v3/cmd/helm@" + HELM);
        });
        return helm;
    }

    /** Python with Kubernetes' schemas as strict JSON schemas. */
    static Path python() {
        Path home = TOOLS.resolve("kubernetes-validate-" + KUBERNETES_VALIDATE);
        makeOnce(home.resolve("complete"), "kubernetes-validate", directory -> {
            Tool.require("python3", "python3-venv");
            Program made = run(directory, Map.of(), "python3", "-m", "venv", directory.toString());
            Program installed = made.status() == 0
                    ? run(
                            directory,
                            Map.of("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
                            "bin/python",
                            "-m",
                            "pip",
                            "install",
                            "-q",
                            "kubernetes-validate==" + KUBERNETES_VALIDATE)
                    : made;
            if (installed.status() == 0) {
                Files.writeString(home.resolve("complete"), "");
            }
            return installed;
        });
        return home.resolve("bin/python");
    }

    /** Directory of the definitions of PodMonitor, PrometheusRule and so on. */
    static Path definitions() {
        Path place = TOOLS.resolve("prometheus-operator-" + PROMETHEUS_OPERATOR + "/place");
        makeOnce(place, "prometheus-operator's resource definitions", directory -> {
            Tool.require("go", "golang-go");
            Program loaded = run(
                    directory,
                    Map.of("GOFLAGS", "-mod=mod"),
                    "go",
                    "mod",
                    "download",
                    "-json",
                    "github.com/prometheus-operator/prometheus-operator@" + PROMETHEUS_OPERATOR);
            if (loaded.status() == 0) {
                Path module = Path.of(JSON.readTree(loaded.output()).get("Dir").asText());
                Path copies = Files.createDirectories(directory.resolve("definitions"));
                for (String kind : List.of("podmonitors", "prometheusrules")) {
                    String file = "monitoring.coreos.com_" + kind + ".yaml";
                    Files.writeString(
                            copies.resolve(file),
                            Files.readString(module.resolve("example/prometheus-operator-crd/" + file)));
                }
                Files.writeString(place, "definitions");
            }
            return loaded;
        });
        return place.resolveSibling("definitions");
    }

    private interface Recipe {
        Program make(Path directory) throws IOException;
    }

    private static Program run(Path directory, Map<String, String> environment, String... command) {
        return Program.run(directory, environment, BUILD_DEADLINE_S, List.of(command));
    }

    @SuppressWarnings("try") // The lock is held, not used.
    private static synchronized void makeOnce(Path product, String name, Recipe recipe) {
        if (Files.exists(product)) {
            return;
        }
        Path directory = product.getParent();
        try {
            Files.createDirectories(directory);
            // Tests run in two processes.
            try (FileChannel channel = FileChannel.open(
                            TOOLS.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (!Files.exists(product)) {
                    Program made = recipe.make(directory);
                    if (made.status() != 0) {
                        Tool.unavailable(
                                name + " could not be made: " + made.text().strip());
                    }
                }
            }
        } catch (IOException e) {
            Tool.unavailable(name + " could not be made: " + e);
        }
    }
}
