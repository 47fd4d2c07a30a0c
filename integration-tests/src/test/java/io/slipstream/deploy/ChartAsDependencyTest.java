// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The chart as a dependency of another one, with the text of its README. */
@Timeout(1200)
class ChartAsDependencyTest {
    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final String VALUES = "# values.yaml\n";

    @TempDir
    private Path directory;

    @Test
    void shouldProvideItsTemplates() throws IOException {
        Matcher blocks = BLOCK.matcher(Files.readString(Chart.DIRECTORY.resolve("README.md")));
        assertThat(blocks.find()).isTrue();
        String chartAndValues = blocks.group(1);
        assertThat(blocks.find()).isTrue();
        String pod = blocks.group(1);
        int values = chartAndValues.indexOf(VALUES);
        write("Chart.yaml", "apiVersion: v2\nname: orders\nversion: 1.0.0\n" + chartAndValues.substring(0, values));
        write("values.yaml", chartAndValues.substring(values));
        write(
                "templates/deployment.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: orders}\nspec:\n  selector: {matchLabels: {app: orders}}\n"
                        + pod);
        Chart.copyTo(directory.resolve("charts/slipstream"));

        String rendered = Chart.template(directory, List.of());

        Path file = write("rendered.yaml", rendered);
        Manifests manifests = Manifests.read(List.of(file)).get(file);
        JsonNode template = manifests.only("Deployment").at("/spec/template");
        JsonNode sidecar = template.at("/spec/initContainers/0");
        assertThat(sidecar.get("name").asText()).isEqualTo("slipstream-proxy");
        assertThat(sidecar.path("restartPolicy").asText()).isEqualTo("Always");
        assertThat(sidecar.at("/resources/limits").has("rdma/hca_shared_devices_a"))
                .isTrue();
        assertThat(template.at("/spec/terminationGracePeriodSeconds").asInt()).isEqualTo(45);
        assertThat(Manifests.named(template.at("/spec/volumes"), "slipstream-config")
                        .at("/configMap/name"))
                .isEqualTo(manifests.only("ConfigMap").at("/metadata/name"));
        assertThat(template.at("/metadata/labels/slipstream.io~1sidecar"))
                .isEqualTo(manifests.only("NetworkPolicy").at("/spec/podSelector/matchLabels/slipstream.io~1sidecar"));
    }

    private Path write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
