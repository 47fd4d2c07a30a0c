// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A shipped dashboard. */
record Dashboard(String name, JsonNode json) {
    static final Path DIRECTORY = Checkout.root().resolve("deploy/grafana/dashboards");
    static final List<String> NAMES = List.of("overview", "broker-plugin", "transport");

    /** One query of a panel; {@code rare} if it is normally empty. */
    record Query(String dashboard, String panel, String text) {
        boolean isRare() {
            return text.endsWith("> 0");
        }

        /** Returns the query with its variables replaced. */
        String expression(String rateInterval) {
            return text.replace("$__rate_interval", rateInterval)
                    .replace("$job", ".*")
                    .replace("$instance", ".*");
        }

        @Override
        public String toString() {
            return dashboard + ", " + panel + ": " + text;
        }
    }

    static Dashboard read(String name) throws IOException {
        return new Dashboard(name, new ObjectMapper().readTree(Files.readString(DIRECTORY.resolve(name + ".json"))));
    }

    Iterable<JsonNode> panels() {
        return json.get("panels");
    }

    List<Query> queries() {
        List<Query> queries = new ArrayList<>();
        for (JsonNode panel : panels()) {
            for (JsonNode target : panel.path("targets")) {
                queries.add(new Query(
                        name, panel.get("title").asText(), target.get("expr").asText()));
            }
        }
        return queries;
    }
}
