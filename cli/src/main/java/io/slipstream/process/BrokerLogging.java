// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Logging configuration of broker JVMs. All output goes to standard output, which the parent redirects to a file. */
final class BrokerLogging {
    private static final String RESOURCE = "/broker-log4j2.xml";

    private BrokerLogging() {}

    /** Writes the configuration into the directory and returns the JVM argument that names the file. */
    static String jvmArgument(Path directory) {
        Path file = directory.resolve("log4j2.xml");
        try (InputStream configuration = BrokerLogging.class.getResourceAsStream(RESOURCE)) {
            Files.copy(configuration, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        return "-Dlog4j2.configurationFile=" + file;
    }
}
