// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The documents of one YAML file, each valid under Kubernetes' schemas. */
record Manifests(List<JsonNode> documents) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path CHECK =
            Checkout.root().resolve("integration-tests/src/test/resources/deploy/check-manifests.py");
    private static final long DEADLINE_S = 120;

    /** Reads and validates several files in one process. Fails with the schemas' errors. */
    static Map<Path, Manifests> read(List<Path> files) {
        Program check = check(files).succeeded();
        try {
            JsonNode read = JSON.readTree(check.output());
            Map<Path, Manifests> manifests = new LinkedHashMap<>();
            for (Path file : files) {
                List<JsonNode> documents = new ArrayList<>();
                read.get(file.toString()).forEach(documents::add);
                manifests.put(file, new Manifests(documents));
            }
            return manifests;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Program check(List<Path> files) {
        List<String> command = new ArrayList<>(List.of(
                DeployTools.python().toString(),
                CHECK.toString(),
                DeployTools.KUBERNETES,
                DeployTools.definitions().toString()));
        files.forEach(file -> command.add(file.toString()));
        return Program.run(Checkout.root(), Map.of(), DEADLINE_S, command);
    }

    Stream<JsonNode> ofKind(String kind) {
        return documents.stream()
                .filter(document -> document.get("kind").asText().equals(kind));
    }

    /** Returns the only document of its kind. */
    JsonNode only(String kind) {
        List<JsonNode> found = ofKind(kind).toList();
        if (found.size() != 1) {
            throw new AssertionError(found.size() + " documents of kind " + kind + ", not one");
        }
        return found.get(0);
    }

    /** Returns the pod specifications of all workloads. */
    List<JsonNode> pods() {
        return documents.stream()
                .map(document -> document.at("/spec/template/spec"))
                .filter(JsonNode::isObject)
                .toList();
    }

    static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Returns the element with this name. */
    static JsonNode named(JsonNode array, String name) {
        return elements(array)
                .filter(element -> element.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + array));
    }
}
