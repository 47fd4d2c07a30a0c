// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Locates the artefacts of the project. The checkout is the system property {@code slipstream.root}, else the nearest
 * ancestor with the modules, of the working directory or of this code. A release has no checkout: its jars share one
 * directory.
 */
public final class Checkout {
    /** System property that names the directory of the jars and replaces the search. */
    public static final String JARS = "slipstream.jars";

    private static final Path CODE = code();
    /** Null outside a checkout. */
    private static final Path ROOT = find();

    private Checkout() {}

    public static Path root() {
        if (ROOT == null) {
            throw new StartFailure("no Slipstream checkout found; set -Dslipstream.root");
        }
        return ROOT;
    }

    static boolean isThere() {
        return ROOT != null;
    }

    public static Path proxyJar() {
        return jar("slipstream-proxy.jar", "proxy/target");
    }

    public static Path agentJar() {
        return jar("slipstream-broker-plugin.jar", "broker-plugin/target");
    }

    /**
     * Checks that all jars exist.
     *
     * @throws StartFailure that names the missing jar
     */
    public static void requireJars() {
        proxyJar();
        agentJar();
    }

    static Path brokerClassPathFile(BrokerLine line) {
        Path file = root().resolve("integration-tests/brokers/kafka-" + line.number() + "/target/broker.classpath");
        if (!Files.isRegularFile(file)) {
            throw new StartFailure(file + " is missing; build it with: mvn -q -DskipTests package");
        }
        return file;
    }

    private static Path jar(String name, String target) {
        List<Path> places = new ArrayList<>();
        String given = System.getProperty(JARS);
        if (given != null) {
            places.add(Path.of(given, name).toAbsolutePath());
        } else {
            places.add(CODE.resolveSibling(name));
            if (ROOT != null) {
                places.add(ROOT.resolve(target).resolve(name));
            }
        }
        return places.stream()
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(
                        () -> new StartFailure(
                                name + " is missing; searched " + places
                                        + "; put it beside slipstream-cli.jar, or build it in a checkout with: mvn -q -DskipTests package"));
    }

    private static Path find() {
        String given = System.getProperty("slipstream.root");
        if (given != null) {
            return Path.of(given).toAbsolutePath().normalize();
        }
        Path above = above(Path.of("").toAbsolutePath());
        return above != null ? above : above(CODE);
    }

    private static Path above(Path start) {
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("rdma-transport")) && Files.isDirectory(at.resolve("broker-plugin"))) {
                return at;
            }
        }
        return null;
    }

    private static Path code() {
        try {
            return Path.of(Checkout.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
