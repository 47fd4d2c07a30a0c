package io.slipstream.harness;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the project's artefacts lie: system property {@code slipstream.root}, else the nearest parent directory with the root pom. */
public final class Checkout {
    private static final Path ROOT = find();

    private Checkout() {}

    public static Path root() {
        return ROOT;
    }

    public static Path proxyJar() {
        return built(ROOT.resolve("proxy/target/slipstream-proxy.jar"));
    }

    public static Path agentJar() {
        return built(ROOT.resolve("broker-plugin/target/slipstream-broker-plugin.jar"));
    }

    static Path brokerClassPathFile(BrokerLine line) {
        return built(ROOT.resolve("integration-tests/brokers/kafka-" + line.number() + "/target/broker.classpath"));
    }

    private static Path built(Path artefact) {
        if (!Files.isRegularFile(artefact)) {
            throw new StartFailure(artefact + " is missing; build it with: mvn -q -DskipTests package");
        }
        return artefact;
    }

    private static Path find() {
        String given = System.getProperty("slipstream.root");
        if (given != null) {
            return Path.of(given).toAbsolutePath().normalize();
        }
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.isDirectory(at.resolve("rdma-transport")) && Files.isDirectory(at.resolve("broker-plugin"))) {
                return at;
            }
        }
        throw new StartFailure("not inside a checkout of Slipstream; set -Dslipstream.root");
    }
}
