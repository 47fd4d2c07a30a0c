// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * The hosts file of this JVM ({@code jdk.net.hosts.file}). Brokers advertise names that only their own network
 * resolves, and may change addresses at each start.
 */
final class HostNames {
    private final Path file = Path.of(System.getProperty("jdk.net.hosts.file", "target/hosts"));

    /** @param addresses addresses by name */
    void write(Map<String, String> addresses) {
        StringBuilder text = new StringBuilder("127.0.0.1 localhost\n");
        new TreeMap<>(addresses)
                .forEach((name, address) ->
                        text.append(address).append(' ').append(name).append('\n'));
        Path draft = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(draft, text);
            Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
