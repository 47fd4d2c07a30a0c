// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import io.slipstream.it.Tool;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** franz-go: a client in pure Go with the newest protocol versions. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class FranzGoIT {
    /** Those of {@code containers/clients/image}: what one has compiled serves the other. */
    private static final List<String> BUILD = List.of(
            "env",
            "CGO_ENABLED=0",
            "go",
            "build",
            "-trimpath",
            "-gcflags=all=-N -l -dwarf=false",
            "-ldflags=-s -w",
            "-o",
            "client",
            ".");

    private static LanguageClient client;

    @BeforeAll
    static void build() throws Exception {
        Tool.require("go", "golang");
        client = new LanguageClient("go");
        String modules = suitableModules();
        boolean changed = client.place("main.go");
        changed |= client.place(modules + ".mod", "go.mod");
        changed |= client.place(modules + ".sum", "go.sum");
        if (changed || !Files.exists(client.directory().resolve("client"))) {
            client.setUp(BUILD.toArray(String[]::new));
        }
    }

    /** The newest client needs a newer Go than Debian 12 provides; older Go builds an older client. */
    private static String suitableModules() throws Exception {
        String version = ToolRun.of(List.of("go", "env", "GOVERSION"), List.of())
                .succeeded()
                .output();
        Matcher matcher = Pattern.compile("go1\\.(\\d+).*", Pattern.DOTALL).matcher(version);
        return matcher.matches() && Integer.parseInt(matcher.group(1)) >= 26 ? "newest" : "debian";
    }

    @Test
    void shouldProduceAndConsume(Serving serving) throws Exception {
        client.roundTrip(serving, List.of(client.directory().resolve("client").toString()));
    }
}
