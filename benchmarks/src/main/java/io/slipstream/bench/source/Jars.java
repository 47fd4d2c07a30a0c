// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.source;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The two runnable artefacts of a build. */
public record Jars(Path proxy, Path agent) {
    private static final String PROXY = "slipstream-proxy.jar";
    private static final String AGENT = "slipstream-broker-plugin.jar";

    public static Jars ofCheckout() {
        return new Jars(Checkout.proxyJar(), Checkout.agentJar());
    }

    /** Returns where the build of a checkout puts them. */
    static Jars builtIn(Path checkout) {
        return new Jars(
                checkout.resolve("proxy/target").resolve(PROXY),
                checkout.resolve("broker-plugin/target").resolve(AGENT));
    }

    static Jars keptIn(Path directory) {
        return new Jars(directory.resolve(PROXY), directory.resolve(AGENT));
    }

    boolean exist() {
        return Files.isRegularFile(proxy) && Files.isRegularFile(agent);
    }

    /** Copies both; the second one last, so that both exist or {@link #exist} is false. */
    void copyTo(Jars target) throws IOException {
        Files.createDirectories(target.proxy.getParent());
        copy(proxy, target.proxy);
        copy(agent, target.agent);
    }

    private static void copy(Path from, Path to) throws IOException {
        Path incomplete = to.resolveSibling(to.getFileName() + ".incomplete");
        Files.copy(from, incomplete, StandardCopyOption.REPLACE_EXISTING);
        Files.move(incomplete, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
