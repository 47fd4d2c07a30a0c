// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/** Broker images with different plugins. */
final class PluginImages {
    /** Stock Kafka. */
    static final String NONE = "slipstream-test-kafka-base:1";
    /** With the plugin of this build. */
    static final String CURRENT = "slipstream-test-kafka:1";

    private static final Duration BUILD_PATIENCE = Duration.ofMinutes(2);

    private PluginImages() {}

    /** Builds an image whose plugin reports another version, and returns its name. */
    static String ofVersion(String version) {
        Path folder = Checkout.root().resolve("integration-tests/containers/target/plugin-" + version);
        Path jar = folder.resolve("slipstream-broker-plugin.jar");
        try {
            Files.createDirectories(folder);
            Files.copy(Checkout.agentJar(), jar, StandardCopyOption.REPLACE_EXISTING);
            setVersion(jar, version);
            Files.writeString(
                    folder.resolve("Dockerfile"),
                    "FROM " + CURRENT + "\nCOPY --chown=0:0 slipstream-broker-plugin.jar /opt/slipstream/\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a plugin of version " + version, e);
        }
        String image = "slipstream-test-kafka:" + version;
        Program.require(
                BUILD_PATIENCE,
                folder,
                Map.of("DOCKER_BUILDKIT", "0"),
                List.of("docker", "build", "-q", "-t", image, folder.toString()));
        return image;
    }

    private static void setVersion(Path jar, String version) throws IOException {
        try (FileSystem contents = FileSystems.newFileSystem(jar)) {
            Path file = contents.getPath("META-INF/MANIFEST.MF");
            Manifest manifest;
            try (InputStream in = Files.newInputStream(file)) {
                manifest = new Manifest(in);
            }
            manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
            try (OutputStream out = Files.newOutputStream(file)) {
                manifest.write(out);
            }
        }
    }
}
