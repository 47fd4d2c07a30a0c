// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import io.slipstream.it.Tool;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Installs programs of other languages, once for all tests. A lock keeps tests of other JVMs out meanwhile. */
final class LanguageClients {
    /** Those of {@code containers/clients/image}: what one has compiled serves the other. */
    private static final List<String> GO_BUILD = List.of(
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

    private LanguageClients() {}

    private interface Installation {
        void run(LanguageClient client) throws IOException, InterruptedException;
    }

    /** kafkajs: a client in pure JavaScript with old protocol versions. */
    static LanguageClient node() throws IOException, InterruptedException {
        Tool.require("node", "nodejs");
        Tool.require("npm", "npm");
        return installed("node", client -> {
            client.place("client.js");
            if (client.place("package.json")
                    || !Files.isDirectory(client.directory().resolve("node_modules/kafkajs"))) {
                client.setUp("npm", "install", "--no-audit", "--no-fund", "--loglevel=error");
            }
        });
    }

    /** franz-go: a client in pure Go with the newest protocol versions. */
    static LanguageClient go() throws IOException, InterruptedException {
        Tool.require("go", "golang");
        return installed("go", client -> {
            String modules = suitableModules();
            boolean changed = client.place("main.go");
            changed |= client.place(modules + ".mod", "go.mod");
            changed |= client.place(modules + ".sum", "go.sum");
            if (changed || !Files.exists(client.directory().resolve("client"))) {
                client.setUp(GO_BUILD.toArray(String[]::new));
            }
        });
    }

    /** confluent-kafka for Python: a newer librdkafka than kcat's. {@link #pythonOf} runs it. */
    static LanguageClient python() throws IOException, InterruptedException {
        Tool.require("python3", "python3-venv");
        return installed("python", client -> {
            client.place("client.py");
            if (client.place("requirements.txt") || !Files.exists(pythonOf(client))) {
                client.setUp("python3", "-m", "venv", "venv");
                client.setUp(pythonOf(client).toString(), "-m", "pip", "install", "-q", "-r", "requirements.txt");
            }
        });
    }

    static Path pythonOf(LanguageClient client) {
        return client.directory().resolve("venv/bin/python");
    }

    private static LanguageClient installed(String language, Installation installation)
            throws IOException, InterruptedException {
        LanguageClient client = new LanguageClient(language);
        try (FileChannel file = FileChannel.open(
                        client.directory().resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            assert lock.isValid();
            installation.run(client);
        }
        return client;
    }

    /** The newest client needs a newer Go than Debian 12 provides; older Go builds an older client. */
    private static String suitableModules() throws IOException, InterruptedException {
        String version = ToolRun.of(List.of("go", "env", "GOVERSION"), List.of())
                .succeeded()
                .output();
        Matcher matcher = Pattern.compile("go1\\.(\\d+).*", Pattern.DOTALL).matcher(version);
        return matcher.matches() && Integer.parseInt(matcher.group(1)) >= 26 ? "newest" : "debian";
    }
}
