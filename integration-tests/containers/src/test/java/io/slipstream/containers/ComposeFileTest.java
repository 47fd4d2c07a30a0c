// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Checks the Compose file with Compose's own validation, and its guarantees for every service. Needs no engine. */
class ComposeFileTest {
    private static final Path FOLDER = Checkout.root().resolve("deploy/compose");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+):-([^}]*)}");

    @Test
    void shouldBeValidWithDefaultsAndWithADevice() {
        assertThat(services("compose.yaml")).hasSize(11);
        Map<String, Map<String, Object>> withDevice = services("compose.yaml", "compose.rdma.yaml");
        assertThat(withDevice.get("broker-1").get("devices").toString()).contains("/dev/infiniband");
        assertThat(withDevice.get("sidecar-b").get("ulimits").toString()).contains("memlock=-1");
    }

    @Test
    void shouldGiveEveryServiceAReadOnlyRootNoCapabilitiesAndAnOrdinaryUser() {
        services("compose.yaml").forEach((name, service) -> {
            assertThat(service.get("read_only")).as(name).isEqualTo(true);
            assertThat(service.get("cap_drop")).as(name).isEqualTo(List.of("ALL"));
            assertThat(service.get("security_opt")).as(name).isEqualTo(List.of("no-new-privileges:true"));
            assertThat(String.valueOf(service.get("user"))).as(name).matches("[1-9]\\d*:\\d+");
        });
    }

    @Test
    void shouldPublishOnlyPrometheusAndGrafanaOnLoopback() {
        services("compose.yaml").forEach((name, service) -> {
            if (Set.of("prometheus", "grafana").contains(name)) {
                assertThat(String.valueOf(service.get("ports"))).as(name).contains("127.0.0.1");
            } else {
                assertThat(service.get("ports")).as(name).isNull();
            }
        });
    }

    @Test
    void shouldListEveryVariableWithItsDefaultInTheExample() throws IOException {
        Map<String, Set<String>> used = new TreeMap<>();
        Matcher matcher = VARIABLE.matcher(Files.readString(FOLDER.resolve("compose.yaml")));
        while (matcher.find()) {
            used.computeIfAbsent(matcher.group(1), name -> new TreeSet<>()).add(matcher.group(2));
        }
        Map<String, Set<String>> documented = new TreeMap<>();
        for (String line : Files.readAllLines(FOLDER.resolve(".env.example"))) {
            int equals = line.indexOf('=');
            if (!line.startsWith("#") && equals > 0) {
                documented.put(line.substring(0, equals), Set.of(line.substring(equals + 1)));
            }
        }
        assertThat(documented).isEqualTo(used);
    }

    private static Map<String, Map<String, Object>> services(String... files) {
        boolean plugin = Program.find("docker").isPresent()
                && Program.run(Duration.ofSeconds(20), FOLDER, List.of("docker", "compose", "version"))
                                .status()
                        == 0;
        if (!plugin && Program.find("docker-compose").isEmpty()) {
            throw Engine.unavailable("compose is not installed; apt-get install docker-compose");
        }
        List<String> command = new ArrayList<>(plugin ? List.of("docker", "compose") : List.of("docker-compose"));
        for (String file : files) {
            command.addAll(List.of("-f", file));
        }
        command.add("config");
        Map<String, Map<String, Map<String, Object>>> config =
                new Yaml().load(Program.require(Duration.ofSeconds(60), FOLDER, Map.of(), command));
        return config.get("services");
    }
}
