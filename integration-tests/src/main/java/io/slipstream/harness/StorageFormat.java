package io.slipstream.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Formats a broker's log directory with Kafka's own tool, in a JVM of its own. Does nothing to a directory that is formatted already. */
public final class StorageFormat {
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private StorageFormat() {}

    public static void format(BrokerLine line, Path serverProperties, String clusterId, Path directory) {
        Path log = directory.resolve("format.log");
        List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-Xmx128m"));
        command.addAll(JvmProfile.FAST_START.flags());
        command.addAll(ClassArchive.ofBroker(line).flags());
        command.addAll(List.of("-cp", line.classPath(), "kafka.tools.StorageTool", "format", "--ignore-formatted"));
        command.addAll(List.of("--cluster-id", clusterId, "--config", serverProperties.toString()));
        ChildProcess tool = ChildProcess.start("kafka-storage format", command, directory, log);
        int status = tool.awaitExit(PATIENCE);
        if (status != 0) {
            tool.kill9();
            throw new StartFailure(
                    "kafka-storage format of " + serverProperties + " ended with status " + status + tool.logTail());
        }
    }
}
