// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.layering;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.slipstream.process.Checkout;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A module and the packages that its classes may name. The agent jar is packaging only and has no classes.
 *
 * @param path directory of the module below the root
 * @param own packages of the project that it may name, including its own
 * @param foreign packages of other projects that it must not name
 */
record Module(String path, Set<String> own, Set<String> foreign) {
    private static final String PROJECT = "io.slipstream.";
    private static final String METRICS = "io.slipstream.metrics";
    private static final String TRANSPORT = "io.slipstream.rdma";
    private static final String PROTOCOL = "io.slipstream.protocol";
    private static final String LINK = "io.slipstream.link";
    private static final String PROXY = "io.slipstream.proxy";
    private static final String BROKER = "io.slipstream.broker";
    private static final String REPLICATION = "io.slipstream.replication";
    private static final String NETTY = "io.netty";
    private static final String KAFKA_CLIENTS = "org.apache.kafka.common";

    private static final String PROCESS = "io.slipstream.process";

    /** The commands and the classes that start processes for them. */
    private static final Set<String> COMMANDS = Set.of(
            "io.slipstream.cli", "io.slipstream.quickstart", "io.slipstream.doctor", "io.slipstream.top", PROCESS);

    /** Workloads, faults, checkers and simulation: the tools that test the system. */
    private static final Set<String> TEST_TOOLS = Set.of(
            "io.slipstream.checker",
            "io.slipstream.faults",
            "io.slipstream.figures",
            "io.slipstream.harness",
            "io.slipstream.history",
            "io.slipstream.mutants",
            "io.slipstream.planted",
            "io.slipstream.reference",
            "io.slipstream.simulation",
            "io.slipstream.traced",
            "io.slipstream.workload");

    /** Packages that only a broker has; kafka-clients contains none of them. */
    private static final Set<String> KAFKA_SERVER = Set.of(
            "kafka",
            "scala",
            "org.apache.kafka.server",
            "org.apache.kafka.storage",
            "org.apache.kafka.metadata",
            "org.apache.kafka.image",
            "org.apache.kafka.controller",
            "org.apache.kafka.coordinator",
            "org.apache.kafka.network",
            "org.apache.kafka.raft");

    static final List<Module> ALL = List.of(
            new Module("metrics", Set.of(METRICS), union(KAFKA_SERVER, KAFKA_CLIENTS, NETTY)),
            new Module("rdma-transport", Set.of(TRANSPORT, METRICS), union(KAFKA_SERVER, KAFKA_CLIENTS)),
            new Module("protocol-adapter", Set.of(PROTOCOL), union(KAFKA_SERVER, NETTY)),
            new Module("link", Set.of(LINK, METRICS, TRANSPORT, PROTOCOL), KAFKA_SERVER),
            new Module("proxy", Set.of(PROXY, LINK, METRICS, TRANSPORT, PROTOCOL), KAFKA_SERVER),
            new Module("broker-plugin/core", Set.of(BROKER, METRICS, TRANSPORT, PROTOCOL), KAFKA_SERVER),
            new Module("replication", Set.of(REPLICATION, BROKER, LINK, METRICS, TRANSPORT, PROTOCOL), Set.of()),
            new Module("broker-plugin/kafka", Set.of(BROKER, REPLICATION, METRICS, TRANSPORT, PROTOCOL), Set.of()),
            new Module("broker-plugin/kafka-4.3", Set.of(BROKER, METRICS, TRANSPORT, PROTOCOL), Set.of()),
            new Module("broker-plugin/kafka-4.4", Set.of(BROKER, METRICS, TRANSPORT, PROTOCOL), Set.of()),
            new Module(
                    "cli",
                    union(COMMANDS, TRANSPORT, PROXY + ".config", PROXY + ".live", BROKER + ".config", PROTOCOL),
                    KAFKA_SERVER),
            new Module(
                    "testing",
                    union(TEST_TOOLS, PROCESS, METRICS, TRANSPORT, PROTOCOL, LINK, PROXY, BROKER, REPLICATION),
                    KAFKA_SERVER));

    /** The compiled classes of all modules that users run. */
    static List<Path> production() {
        return ALL.stream()
                .filter(module -> !module.path.equals("testing"))
                .map(Module::compiled)
                .toList();
    }

    /** The module's compiled classes. */
    JavaClasses classes() {
        return new ClassFileImporter().importPath(compiled());
    }

    private Path compiled() {
        return Checkout.root().resolve(path).resolve("target/classes");
    }

    /** One sentence for each forbidden dependency of these classes. */
    Set<String> violations(Iterable<JavaClass> classes) {
        Set<String> violations = new TreeSet<>();
        for (JavaClass each : classes) {
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                String target =
                        dependency.getTargetClass().getBaseComponentType().getName();
                if (target.startsWith(PROJECT) ? !isIn(target, own) : isIn(target, foreign)) {
                    violations.add(path + ": " + each.getName() + " names " + target);
                }
            }
        }
        return violations;
    }

    private static boolean isIn(String className, Set<String> packages) {
        return packages.stream().anyMatch(name -> className.startsWith(name + "."));
    }

    private static Set<String> union(Set<String> packages, String... more) {
        Set<String> all = new TreeSet<>(packages);
        all.addAll(List.of(more));
        return all;
    }
}
