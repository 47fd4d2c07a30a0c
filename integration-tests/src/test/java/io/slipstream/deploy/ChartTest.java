// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.LintResult;
import io.slipstream.process.Checkout;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyConfigLoader;
import io.slipstream.proxy.config.ProxyKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The chart's output for its defaults and for each file in {@code deploy/helm/values}, checked against Kubernetes'
 * schemas.
 */
@Timeout(1200)
class ChartTest {
    private static final String DEFAULTS = "defaults";

    @TempDir
    private static Path directory;

    private static final Map<String, Manifests> RENDERED = new HashMap<>();

    @BeforeAll
    static void render() throws IOException {
        Map<String, Path> files = new HashMap<>();
        for (String values : List.of(DEFAULTS, "verbs", "shm", "everything", "nothing")) {
            Path own = Chart.VALUES.resolve(values + ".yaml");
            Path[] overrides = Files.exists(own) ? new Path[] {own} : new Path[0];
            String rendered = Chart.template(overrides);
            files.put(values, Files.writeString(directory.resolve(values + ".yaml"), rendered));
        }
        Map<Path, Manifests> read = Manifests.read(List.copyOf(files.values()));
        files.forEach((values, file) -> RENDERED.put(values, read.get(file)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs", "shm", "everything", "nothing"})
    void shouldLint(String values, @TempDir Path copy) throws IOException {
        assertPasses(Chart.lint(Chart.VALUES.resolve(values + ".yaml"), copy));
    }

    @Test
    void shouldLintTheDefaults() {
        assertPasses(Chart.lint());
    }

    /** Helm checks it, but not on the copies of these tests. */
    @Test
    void shouldRequireKubernetesWithSidecars() throws IOException {
        Map<String, Object> chart = new Yaml().load(Files.readString(Chart.DIRECTORY.resolve("Chart.yaml")));
        assertThat(chart).containsEntry("kubeVersion", ">= 1.29.0-0");
        assertThat(DeployTools.KUBERNETES).matches("1\\.(29|[3-9]\\d)");
    }

    private static void assertPasses(LintResult result) {
        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "verbs", "shm", "everything"})
    void shouldStartTheSidecarBeforeTheApplicationAndStopItAfterwards(String values) {
        JsonNode pod = pod(values);
        JsonNode sidecar = sidecar(values);

        assertThat(pod.at("/initContainers/0")).isSameAs(sidecar);
        assertThat(sidecar.path("restartPolicy").asText()).isEqualTo("Always");
        assertThat(sidecar.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/readyz");
        assertThat(sidecar.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/livez");
        assertThat(sidecar.at("/startupProbe/httpGet/path").asText())
                .isEqualTo(values.equals("everything") ? "/livez" : "/readyz");
        for (String probe : List.of("startup", "readiness", "liveness")) {
            String port = sidecar.at("/" + probe + "Probe/httpGet/port").asText();
            assertThat(Manifests.named(sidecar.get("ports"), port)
                            .get("containerPort")
                            .asInt())
                    .isEqualTo(config(values).getInt(ProxyKeys.MANAGEMENT_PORT));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "verbs", "shm", "everything"})
    void shouldAllowTheDrainToFinish(String values) throws IOException {
        long graceMs = pod(values).get("terminationGracePeriodSeconds").asLong() * 1000;
        long applicationMs = 30_000;

        assertThat(graceMs).isGreaterThan(applicationMs + config(values).getInt(ProxyKeys.DRAIN_TIMEOUT_MS));
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "verbs", "shm", "everything"})
    void shouldGiveNoMoreRightsThanNeeded(String values) {
        JsonNode pod = pod(values);
        assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(pod.path("enableServiceLinks").asBoolean(true)).isFalse();
        assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
        assertThat(pod.toString()).doesNotContain("privileged", "hostNetwork", "hostPID", "hostIPC");
        List<JsonNode> containers = new ArrayList<>();
        pod.get("initContainers").forEach(containers::add);
        pod.get("containers").forEach(containers::add);
        assertThat(containers).hasSize(2).allSatisfy(container -> {
            JsonNode security = container.get("securityContext");
            assertThat(security.get("runAsNonRoot").asBoolean()).isTrue();
            assertThat(security.get("runAsUser").asInt()).isPositive();
            assertThat(security.get("readOnlyRootFilesystem").asBoolean()).isTrue();
            assertThat(security.get("allowPrivilegeEscalation").asBoolean(true)).isFalse();
            assertThat(security.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs", "everything"})
    void shouldGiveAnRdmaDeviceAndPermissionToPinMemory(String values) {
        JsonNode sidecar = sidecar(values);

        assertThat(sidecar.at("/resources/limits")
                        .path("rdma/hca_shared_devices_a")
                        .asInt())
                .isEqualTo(1);
        assertThat(sidecar.at("/resources/limits").has("memory")).isTrue();
        assertThat(sidecar.at("/securityContext/capabilities/add").toString()).isEqualTo("[\"IPC_LOCK\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "shm"})
    void shouldGiveNoDeviceWithoutVerbs(String values) {
        assertThat(pod(values).toString()).doesNotContain("rdma/", "IPC_LOCK");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "everything"})
    void shouldShareTheBrokersDirectoryWithShm(String values) {
        JsonNode mount = Manifests.named(sidecar(values).get("volumeMounts"), "slipstream-directory");
        assertThat(mount.get("mountPath").asText())
                .isEqualTo(config(values).directory.toString());
        assertThat(mount.path("readOnly").asBoolean()).isTrue();
        JsonNode volumes = pod(values).get("volumes");
        assertThat(Manifests.named(volumes, "slipstream-directory").has("hostPath"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "verbs"})
    void shouldMountNoHostPathWithoutShm(String values) {
        assertThat(pod(values).toString()).doesNotContain("hostPath");
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "verbs", "shm", "everything", "nothing"})
    void shouldRenderAConfigurationThatTheProxyAccepts(String values) {
        ProxyConfig config = config(values);

        assertThat(config.describe()).contains("bootstrap.servers");
        assertThat(config.getString(ProxyKeys.MANAGEMENT_HOST))
                .as("address of probes from outside of the pod")
                .isEqualTo("0.0.0.0");
    }

    @Test
    void shouldReadSecretsFromSecretsOnly() {
        JsonNode sidecar = sidecar("everything");
        JsonNode sources = Manifests.named(pod("everything").get("volumes"), "slipstream-secrets")
                .at("/projected/sources");
        assertThat(Manifests.elements(sources)
                        .map(source -> source.at("/secret/name").asText()))
                .containsExactlyInAnyOrder("kafka-authority", "kafka-client", "kafka-authority", "slipstream-control");
        assertThat(Manifests.named(sidecar.get("env"), "SLIPSTREAM_SSL_KEYSTORE_PASSWORD")
                        .at("/valueFrom/secretKeyRef/name")
                        .asText())
                .isEqualTo("kafka-client");
        assertThat(RENDERED.values())
                .allSatisfy(manifests -> assertThat(
                                manifests.ofKind("ConfigMap").toList().toString())
                        .doesNotContainIgnoringCase("password")
                        .doesNotContain("rdma.control.secret="));
        assertThat(RENDERED.values())
                .allSatisfy(manifests -> assertThat(manifests.ofKind("Secret")).isEmpty());
    }

    @Test
    void shouldAllowOnlyMonitoringInAndBrokersAndDnsOut() {
        JsonNode policy = RENDERED.get(DEFAULTS).only("NetworkPolicy").get("spec");

        assertThat(policy.get("policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
        assertThat(policy.get("ingress")).hasSize(1);
        assertThat(policy.at("/ingress/0/ports").toString()).isEqualTo("[{\"protocol\":\"TCP\",\"port\":9091}]");
        assertThat(policy.at("/ingress/0/from").toString()).contains("\"kubernetes.io/metadata.name\":\"monitoring\"");
        assertThat(Manifests.elements(policy.get("egress")))
                .hasSize(2)
                .allSatisfy(rule -> assertThat(rule.get("to")).isNotEmpty())
                .allSatisfy(rule -> assertThat(rule.get("ports")).isNotEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {DEFAULTS, "verbs", "shm", "everything"})
    void shouldSelectItsOwnPods(String values) {
        Manifests manifests = RENDERED.get(values);
        JsonNode labels = manifests.only("Deployment").at("/spec/template/metadata/labels");
        List<JsonNode> selectors = new ArrayList<>();
        selectors.add(manifests.only("Deployment").at("/spec/selector/matchLabels"));
        manifests.ofKind("NetworkPolicy").forEach(policy -> selectors.add(policy.at("/spec/podSelector/matchLabels")));
        manifests.ofKind("PodMonitor").forEach(monitor -> selectors.add(monitor.at("/spec/selector/matchLabels")));
        manifests
                .ofKind("PodDisruptionBudget")
                .forEach(budget -> selectors.add(budget.at("/spec/selector/matchLabels")));

        assertThat(selectors)
                .hasSize(values.equals("everything") ? 4 : 2)
                .allSatisfy(selector -> assertThat(selector.properties())
                        .isNotEmpty()
                        .allSatisfy(
                                label -> assertThat(labels.get(label.getKey())).isEqualTo(label.getValue())));
    }

    @Test
    void shouldRenderOnlyTheConfigurationForOtherCharts() {
        assertThat(RENDERED.get("nothing").documents())
                .extracting(document -> document.get("kind").asText())
                .containsExactly("ConfigMap");
    }

    @Test
    void shouldMonitorUnderTheJobNameOfTheAlerts() {
        JsonNode endpoint = RENDERED.get("everything").only("PodMonitor").at("/spec/podMetricsEndpoints/0");

        assertThat(endpoint.at("/relabelings/0/targetLabel").asText()).isEqualTo("job");
        assertThat(endpoint.at("/relabelings/0/replacement").asText()).isEqualTo("slipstream-proxy");
        assertThat(Manifests.named(
                        sidecar("everything").get("ports"), endpoint.get("port").asText()))
                .isNotNull();
    }

    @Test
    void shouldHaveTheAlertsOfDeployPrometheus() throws IOException {
        Path source = Checkout.root().resolve("deploy/prometheus/slipstream-alerts.yml");
        List<String> alerts = Files.readAllLines(source).stream()
                .filter(line -> line.strip().startsWith("- alert: "))
                .map(line -> line.strip().substring("- alert: ".length()))
                .toList();

        JsonNode groups = RENDERED.get("everything").only("PrometheusRule").at("/spec/groups");
        List<JsonNode> rules = Manifests.elements(groups)
                .flatMap(group -> Manifests.elements(group.get("rules")))
                .toList();

        // A file instead of a link, because some tools do not preserve links.
        assertThat(Chart.DIRECTORY.resolve("files/slipstream-alerts.yml"))
                .as("cp deploy/prometheus/slipstream-alerts.yml deploy/helm/slipstream/files")
                .hasSameTextualContentAs(source);
        assertThat(alerts).isNotEmpty();
        assertThat(rules).extracting(rule -> rule.get("alert").asText()).containsExactlyElementsOf(alerts);
        assertThat(rules)
                .allSatisfy(
                        rule -> assertThat(rule.at("/annotations/runbook_url").asText())
                                .startsWith("https://wiki.internal/slipstream/docs/runbooks/"));
    }

    private static JsonNode pod(String values) {
        return RENDERED.get(values).only("Deployment").at("/spec/template/spec");
    }

    private static JsonNode sidecar(String values) {
        return Manifests.named(pod(values).get("initContainers"), "slipstream-proxy");
    }

    private static ProxyConfig config(String values) {
        String text = RENDERED.get(values)
                .only("ConfigMap")
                .at("/data/proxy.properties")
                .asText();
        try {
            // The secret that the pod mounts.
            Files.writeString(directory.resolve("rdma.control.secret.file"), "0123456789abcdef");
            Path file = Files.writeString(
                    directory.resolve("proxy.properties"),
                    text.replace("/etc/slipstream/secrets", directory.toString()));
            return ProxyConfigLoader.load(file, Map.of(), Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
