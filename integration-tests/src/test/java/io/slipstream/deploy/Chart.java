// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The chart as rendered by helm, whose library for Java needs no program. */
final class Chart {
    static final Path DIRECTORY = Checkout.root().resolve("deploy/helm/slipstream");
    static final Path VALUES = Checkout.root().resolve("deploy/helm/values");

    private static final Pattern KUBERNETES = Pattern.compile("(?m)^kubeVersion: .*\n");
    private static final Path COPY = copy();

    private Chart() {}

    /** Returns the manifests of the chart alone; see {@link #template(Path, List)}. */
    static String template(Path... values) {
        return template(COPY, List.of(values));
    }

    /**
     * Returns the manifests.
     *
     * @param chart a {@link #copyTo copy} of the chart, or one that has a copy as a dependency
     * @param values files, each of which overrides those before it
     * @throws IllegalStateException with helm's message if it refuses the values
     */
    static String template(Path chart, List<Path> values) {
        TemplateCommand command = new Helm(chart).template().withName("events").withNamespace("events");
        values.forEach(command::withValuesFile);
        return command.call();
    }

    static LintResult lint() {
        return new Helm(COPY).lint().strict().call();
    }

    /** Helm's library takes the values from the chart only, so they are written into a copy. */
    static LintResult lint(Path values, Path directory) throws IOException {
        Path copy = copyTo(directory.resolve("slipstream"));
        Path defaults = copy.resolve("values.yaml");
        Files.writeString(defaults, new Yaml().dump(merged(read(defaults), read(values))));
        return new Helm(copy).lint().strict().call();
    }

    /** A new directory, because an old one might hold files that the chart no longer has. */
    private static Path copy() {
        try {
            return copyTo(Files.createTempDirectory(Path.of("target"), "chart"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies the chart, but not the version of Kubernetes that it requires: helm's library takes 1.20 for granted. */
    static Path copyTo(Path to) {
        try (Stream<Path> files = Files.walk(DIRECTORY)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(DIRECTORY.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                String text = Files.readString(file);
                Files.writeString(
                        copy,
                        file.endsWith("Chart.yaml") ? KUBERNETES.matcher(text).replaceFirst("") : text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return to;
    }

    private static Map<String, Object> read(Path file) throws IOException {
        Map<String, Object> values = new Yaml().load(Files.readString(file));
        return values == null ? Map.of() : values;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> merged(Map<String, Object> below, Map<String, Object> above) {
        Map<String, Object> merged = new LinkedHashMap<>(below);
        above.forEach((key, value) -> merged.merge(
                key,
                value,
                (old, given) -> old instanceof Map && given instanceof Map
                        ? merged((Map<String, Object>) old, (Map<String, Object>) given)
                        : given));
        return merged;
    }
}
