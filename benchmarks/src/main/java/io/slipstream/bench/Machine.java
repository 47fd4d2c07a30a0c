package io.slipstream.bench;

import io.slipstream.harness.BrokerLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the numbers come from; without it they mean nothing. */
public final class Machine {
    private Machine() {}

    static Map<String, String> describe(BrokerLine line) {
        Map<String, String> facts = describe();
        facts.put("broker", "Apache Kafka " + line.number());
        return facts;
    }

    public static Map<String, String> describe() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processor", processor());
        facts.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        facts.put("kernel", System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
        facts.put("jvm", System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version"));
        facts.put("load before", firstLine(Path.of("/proc/loadavg")));
        return facts;
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
            return "unknown";
        }
    }
}
