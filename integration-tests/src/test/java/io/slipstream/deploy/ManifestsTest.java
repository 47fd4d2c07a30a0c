// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code deploy/kubernetes}. The application manifests are the chart's output; {@code
 * -Dslipstream.manifests.write=true} writes them. The broker manifests are written by hand.
 */
@Timeout(1200)
class ManifestsTest {
    private static final Path DIRECTORY = Checkout.root().resolve("deploy/kubernetes");
    private static final boolean WRITE = Boolean.getBoolean("slipstream.manifests.write");

    @TempDir
    private Path directory;

    private static Map<Path, Manifests> manifests;

    @BeforeAll
    static void read() throws IOException {
        for (String values : List.of("verbs", "shm")) {
            if (WRITE) {
                Files.writeString(application(values), rendered(values));
            }
        }
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            manifests = Manifests.read(files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted()
                    .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs", "shm"})
    void shouldEqualTheOutputOfTheChart(String values) throws IOException {
        assertThat(Files.readString(application(values)))
                .as("mvn test -pl integration-tests -am -Dtest=ManifestsTest -Dslipstream.manifests.write=true")
                .isEqualTo(rendered(values));
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs", "shm"})
    void shouldRunBrokersWithThePluginAndNoMoreRightsThanNeeded(String provider) {
        JsonNode pod = brokers(provider);
        JsonNode broker = Manifests.named(pod.get("containers"), "kafka");

        assertThat(environment(broker, "KAFKA_SLIPSTREAM_PROVIDER")).isEqualTo(provider);
        assertThat(pod.get("enableServiceLinks").asBoolean(true)).isFalse();
        assertThat(pod.get("automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(pod.toString()).doesNotContain("privileged", "hostNetwork", "hostPID", "hostIPC");
        assertThat(broker.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(broker.at("/securityContext/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
    }

    @Test
    void shouldGiveVerbsBrokersADeviceAndASecret() {
        JsonNode broker = Manifests.named(brokers("verbs").get("containers"), "kafka");

        assertThat(broker.at("/resources/limits")
                        .path("rdma/hca_shared_devices_a")
                        .asInt())
                .isEqualTo(1);
        assertThat(broker.at("/securityContext/capabilities/add").toString()).isEqualTo("[\"IPC_LOCK\"]");
        assertThat(environment(broker, "KAFKA_OPTS")).isEqualTo("-javaagent:/plugin/slipstream-broker-plugin.jar");
        assertThat(environment(broker, "KAFKA_SLIPSTREAM_CONTROL_SECRET_FILE")).isEqualTo("/etc/slipstream/secret");
        assertThat(Manifests.named(brokers("verbs").get("volumes"), "control-secret")
                        .at("/secret/secretName")
                        .asText())
                .isEqualTo("slipstream-control");
    }

    @Test
    void shouldShareOneDirectoryOfTheNodeBetweenBrokersAndSidecars() {
        JsonNode pod = brokers("shm");
        JsonNode application = manifests.get(application("shm")).pods().get(0);
        JsonNode sidecar = Manifests.named(application.get("initContainers"), "slipstream-proxy");

        assertThat(Manifests.named(pod.get("volumes"), "slipstream-directory"))
                .isEqualTo(Manifests.named(application.get("volumes"), "slipstream-directory"));
        assertThat(pod.at("/securityContext/runAsUser")).isEqualTo(sidecar.at("/securityContext/runAsUser"));
        assertThat(Manifests.named(pod.get("containers"), "kafka").toString()).doesNotContain("rdma/", "IPC_LOCK");
        // Only the broker's user may write here.
        JsonNode owner = Manifests.named(pod.get("initContainers"), "own-directory");
        assertThat(owner.get("command").toString()).contains("chown 1000:1000 /run/slipstream && chmod 700");
    }

    @Test
    void shouldNameTheBrokersOfTheApplications() {
        for (String provider : List.of("verbs", "shm")) {
            String properties = manifests
                    .get(application(provider))
                    .only("ConfigMap")
                    .at("/data/proxy.properties")
                    .asText();
            Manifests brokers = manifests.get(DIRECTORY.resolve("kafka-" + provider + ".yaml"));
            JsonNode set = brokers.only("StatefulSet");
            String domain = "." + set.at("/spec/serviceName").asText() + "."
                    + set.at("/metadata/namespace").asText() + ".svc.cluster.local:9092";

            assertThat(properties).contains("bootstrap.servers=kafka-0" + domain + ",kafka-1" + domain);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs", "shm"})
    void shouldSetKeysThatThePluginKnows(String provider) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "0123456789abcdef");
        Map<String, String> keys = new HashMap<>();
        JsonNode broker = Manifests.named(brokers(provider).get("containers"), "kafka");
        for (JsonNode variable : broker.get("env")) {
            String name = variable.get("name").asText();
            if (name.startsWith("KAFKA_SLIPSTREAM_")) {
                // Like the image's start script.
                String key = name.substring("KAFKA_".length())
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '.');
                keys.put(key, variable.get("value").asText().replace("/etc/slipstream/secret", secret.toString()));
            }
        }

        PluginConfig config = PluginConfig.of(keys);

        assertThat(config.provider()).isEqualTo(provider);
        assertThat(keys).containsEntry("slipstream.metrics.address", "0.0.0.0:9495");
        assertThat(Manifests.named(broker.get("ports"), "plugin-metrics")
                        .get("containerPort")
                        .asInt())
                .isEqualTo(9495);
    }

    @Test
    void shouldMonitorThePluginsOfTheseBrokers() {
        JsonNode monitor =
                manifests.get(DIRECTORY.resolve("monitor-brokers.yaml")).only("PodMonitor");
        JsonNode endpoint = monitor.at("/spec/podMetricsEndpoints/0");

        assertThat(endpoint.get("port").asText()).isEqualTo("plugin-metrics");
        assertThat(endpoint.at("/relabelings/0/replacement").asText()).isEqualTo("slipstream-plugin");
        for (String provider : List.of("verbs", "shm")) {
            JsonNode set = manifests
                    .get(DIRECTORY.resolve("kafka-" + provider + ".yaml"))
                    .only("StatefulSet");
            assertThat(monitor.at("/spec/selector/matchLabels")).isEqualTo(set.at("/spec/template/metadata/labels"));
            assertThat(monitor.at("/metadata/namespace")).isEqualTo(set.at("/metadata/namespace"));
        }
    }

    /** The other checks depend on this. */
    @Test
    void shouldRefuseFieldsThatKubernetesDoesNotKnow() throws IOException {
        String right = Files.readString(application("shm"));
        Path typo =
                Files.writeString(directory.resolve("typo.yaml"), right.replace("readinessProbe:", "readynessProbe:"));
        Path twice = Files.writeString(
                directory.resolve("twice.yaml"), right.replace("kind: Deployment", "kind: Deployment\nkind: Pod"));
        Path monitor = Files.writeString(
                directory.resolve("monitor.yaml"),
                "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a}\nspec:\n  selector: {}\n  podMetricsEndpoints: [{prot: a}]\n");

        assertThat(Manifests.check(List.of(typo)).errors()).contains("Deployment", "readynessProbe");
        assertThat(Manifests.check(List.of(twice)).errors()).contains("key kind is there twice");
        assertThat(Manifests.check(List.of(monitor)).errors()).contains("PodMonitor a", "prot");
    }

    private static Path application(String values) {
        return DIRECTORY.resolve("application-" + values + ".yaml");
    }

    private static JsonNode brokers(String provider) {
        return manifests
                .get(DIRECTORY.resolve("kafka-" + provider + ".yaml"))
                .pods()
                .get(0);
    }

    private static String environment(JsonNode container, String name) {
        return Manifests.named(container.get("env"), name).get("value").asText();
    }

    /** Omits documents that only Helm reads. */
    private static String rendered(String values) {
        String program = Chart.template(Chart.VALUES.resolve(values + ".yaml"));
        String header = "# Made of deploy/helm/slipstream and deploy/helm/values/" + values
                + ".yaml, and kept equal to them by ManifestsTest.\n";
        return program.lines()
                .filter(line -> !line.startsWith("# Source:")
                        && !line.contains("helm.sh/chart:")
                        && !line.contains("managed-by: Helm"))
                .collect(Collectors.joining("\n", header, "\n"));
    }
}
