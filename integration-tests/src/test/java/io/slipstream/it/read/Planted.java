// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.process.Checkout;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Plants a bug of {@code io.slipstream.planted} in the proxy, to see a test fail: {@code -Dslipstream.planted=NAME}.
 */
final class Planted {
    private static final String NAME = System.getProperty("slipstream.planted", "");

    private Planted() {}

    static ProxyProcess.Builder in(ProxyProcess.Builder builder) {
        return NAME.isEmpty() ? builder : builder.jvmArgument("-javaagent:" + agentJar() + "=" + NAME);
    }

    private static Path agentJar() {
        Path target = Checkout.root().resolve("testing/target");
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "*-planted-bugs.jar")) {
            return jars.iterator().next();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + target, e);
        }
    }
}
