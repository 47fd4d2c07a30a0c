// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The packaged jar of {@link PlantingAgent}. */
public final class PlantingJar {
    private PlantingJar() {}

    public static Path path() {
        Path target = Checkout.root().resolve("testing/target");
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "*-planted-bugs.jar")) {
            return jars.iterator().next();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + target, e);
        }
    }

    /** Returns the JVM argument that plants the bug in a process. */
    public static String jvmArgument(String bug) {
        return "-javaagent:" + path() + "=" + bug;
    }
}
