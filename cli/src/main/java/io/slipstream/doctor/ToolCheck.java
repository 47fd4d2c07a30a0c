// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Checks for programs that only the tests need. */
final class ToolCheck implements Check {
    private static final Map<String, String> PACKAGES = Map.of(
            "docker", "docker.io: tests in containers",
            "qemu-system-x86_64", "qemu-system-x86: tests with Soft-RoCE in a virtual machine",
            "kcat", "kafkacat: tests with librdkafka",
            "python3", "python3-venv: tests with confluent-kafka",
            "npm", "npm: tests with kafkajs",
            "go", "golang: tests with franz-go");

    private final String path;

    ToolCheck(String path) {
        this.path = path;
    }

    @Override
    public List<Finding> examine() {
        return PACKAGES.keySet().stream()
                .sorted()
                .map(tool -> isInstalled(tool)
                        ? Finding.ok(tool, "installed (tests only)")
                        : Finding.warn(tool, "not installed (tests only)", "apt-get install " + PACKAGES.get(tool)))
                .toList();
    }

    private boolean isInstalled(String tool) {
        return Arrays.stream(path.split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, tool)));
    }
}
