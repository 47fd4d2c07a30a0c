// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.BrokerLine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/** The environment of the numbers; they are meaningless without it. */
final class Machine {
    private static final String UNKNOWN = "unknown";
    private static final Pattern SERVER_JAR = Pattern.compile("/kafka-server-([0-9][^/:]*)\\.jar(:|$)");
    private static final Pattern TOOLS_JAR = Pattern.compile("/kafka-tools-([0-9][^/:]*)\\.jar(:|$)");

    private Machine() {}

    static Map<String, String> describe(BrokerLine line) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processor", processor());
        facts.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("kernel", System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
        facts.put("jvm", System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version"));
        facts.put("jvm flags", flags());
        facts.put("broker", "Apache Kafka " + version(line.classPath()).orElse(line.number()));
        Matcher tools = TOOLS_JAR.matcher(ToolSuite.TOOLS.classPath());
        facts.put("stock tools", tools.find() ? "kafka-tools " + tools.group(1) : UNKNOWN);
        facts.put("kafka-clients", AppInfoParser.getVersion());
        facts.put("load before", firstLine(Path.of("/proc/loadavg")));
        return facts;
    }

    /** Version of the server jar on a broker's class path. */
    static Optional<String> version(String classPath) {
        Matcher jar = SERVER_JAR.matcher(classPath);
        return jar.find() ? Optional.of(jar.group(1)) : Optional.empty();
    }

    /** Flags of this JVM, the client; the harness sets those of broker and proxy. */
    private static String flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X"))
                .collect(Collectors.joining(" "));
    }

    private static String processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    private static String firstLine(Path file) {
        try {
            return Files.readString(file).lines().findFirst().orElse("");
        } catch (IOException e) {
            return UNKNOWN;
        }
    }
}
