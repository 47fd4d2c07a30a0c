// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;

/**
 * A stock Kafka broker in its own JVM on 127.0.0.1, by default also its own controller. It requires no authentication
 * unless it is {@link Builder#secured}. It keeps its ports and data directory over {@link #restart()}. Not safe for
 * concurrent use.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final Duration START_PATIENCE = Patience.ofSeconds(60);
    private static final int PORT_ATTEMPTS = 3;

    private final Builder settings;
    private final TempDirectory ownedDirectory;
    private final Path directory;
    private int port;
    private int controlPort;
    private List<BrokerSettings.Voter> voters;
    private List<BrokerSettings.Listener> listeners = List.of();
    private ChildProcess process;

    private BrokerProcess(Builder settings) {
        this.settings = settings;
        ownedDirectory = settings.directory == null ? TempDirectory.create("ss-b") : null;
        directory = settings.directory == null ? ownedDirectory.path() : settings.directory;
        port = settings.port;
        voters = settings.voters;
    }

    public static Builder builder(BrokerLine line) {
        return new Builder(line, null);
    }

    /** Returns a builder for a broker of this distribution, which may lie outside the checkout. */
    public static Builder builder(KafkaDistribution kafka) {
        return new Builder(kafka.line(), kafka.classPath());
    }

    /** Returns host and port of the first listener, which is PLAINTEXT unless the broker is {@link Builder#secured}. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    /** Returns the port of a listener added with {@link Builder#listener}. */
    public int port(String listener) {
        return listeners.stream()
                .filter(each -> each.name().equals(listener))
                .mapToInt(BrokerSettings.Listener::port)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown listener " + listener));
    }

    /** Returns the TCP port on which the plugin accepts control connections; 0 unless {@link Builder#withVerbs}. */
    public int controlPort() {
        return controlPort;
    }

    public int nodeId() {
        return settings.nodeId;
    }

    public String clusterId() {
        return settings.clusterId;
    }

    public BrokerLine line() {
        return settings.line;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the directory of {@code server.properties}, {@code broker.log} and the data directory {@code data}. */
    public Path directory() {
        return directory;
    }

    public Path logDirectory() {
        return directory.resolve("data");
    }

    /** Returns {@code slipstream.directory}, in which this broker's plugin creates its control socket. */
    public Path slipstreamDirectory() {
        return settings.slipstreamDirectory == null ? directory.resolve("s") : settings.slipstreamDirectory;
    }

    /** Returns the path of the control socket. The file exists once the plugin serves. */
    public Path pluginSocket() {
        return slipstreamDirectory().resolve(settings.clusterId + "." + settings.nodeId + ".sock");
    }

    public Path log() {
        return process.log();
    }

    public String logTail() {
        return process.logTail();
    }

    /** Sends SIGTERM and waits for a clean shutdown. The data stays. Idempotent. */
    public void stop() {
        process.stop();
    }

    /** Sends SIGKILL, which simulates a process crash. The data stays. */
    public void kill9() {
        process.kill9();
    }

    /** Starts the broker again on the same data and ports. Returns when the broker serves. */
    public void restart() {
        relaunch();
        awaitServing();
    }

    /** As {@link #restart()}, but returns at once. {@link #awaitServing()} waits until the broker serves. */
    public void relaunch() {
        process.stop();
        launch();
    }

    /** As {@link #restart()}, with the plugin attached or without it from now on. */
    public void restartWithAgent(boolean attached) {
        settings.agent = attached;
        restart();
    }

    /** Stops the broker. If this object created the directory, kills the broker and deletes the directory. */
    @Override
    public void close() {
        if (process != null && (ownedDirectory == null || settings.writingClassArchive)) {
            process.stop();
        } else if (process != null) {
            process.kill9();
        }
        if (ownedDirectory != null) {
            ownedDirectory.close();
        }
    }

    private void startAnew() {
        for (int attempt = 1; ; attempt++) {
            choosePorts();
            writeServerProperties();
            try {
                formatStorage();
                launch();
                if (settings.awaitServing) {
                    awaitServing();
                }
                return;
            } catch (StartFailure failure) {
                if (process != null) {
                    process.kill9();
                }
                // Searches the whole log: a broker that stops writes many lines after this one.
                boolean portTaken = process != null && process.hasLogged("Address already in use");
                if (!portTaken || settings.port != 0 || attempt == PORT_ATTEMPTS) {
                    throw failure;
                }
            }
        }
    }

    private void formatStorage() {
        List<String> scram = settings.security.scram();
        boolean usual = settings.distributionClassPath == null
                && scram.isEmpty()
                && settings.properties.keySet().stream()
                        .noneMatch(key -> key.matches("(metadata\\.)?log\\.dirs?|unstable\\..*"));
        if (usual) {
            StorageFormat.formatAsUsual(
                    settings.line, serverProperties(), settings.clusterId, settings.nodeId, logDirectory(), directory);
        } else {
            StorageFormat.format(settings.classPath(), serverProperties(), settings.clusterId, scram, directory);
        }
    }

    private void choosePorts() {
        if (settings.port == 0) {
            port = Ports.free();
        }
        if (settings.verbs) {
            controlPort = Ports.free();
        }
        listeners = settings.listeners.entrySet().stream()
                .map(each -> new BrokerSettings.Listener(each.getKey(), each.getValue(), Ports.free()))
                .toList();
        if (settings.voters.isEmpty()) {
            voters = List.of(new BrokerSettings.Voter(settings.nodeId, Ports.free()));
        }
    }

    private void writeServerProperties() {
        Map<String, String> extra = new TreeMap<>();
        if (settings.profile == JvmProfile.FAST_START) {
            // Kafka's default of 128 MiB is cleared at each start.
            extra.put("log.cleaner.dedupe.buffer.size", "4194304");
        }
        if (settings.agent) {
            extra.put("slipstream.directory", slipstreamDirectory().toString());
        }
        if (settings.verbs) {
            extra.put("slipstream.provider", "verbs");
            extra.put("slipstream.control.address", "127.0.0.1:" + controlPort);
        }
        extra.putAll(settings.properties);
        try {
            Files.createDirectories(directory);
            Files.writeString(
                    serverProperties(),
                    BrokerSettings.serverProperties(
                            settings.nodeId, settings.security, port, listeners, voters, logDirectory(), extra));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + serverProperties(), e);
        }
    }

    private Path serverProperties() {
        return directory.resolve("server.properties");
    }

    private void launch() {
        List<String> command = new ArrayList<>();
        if (!settings.environment.isEmpty()) {
            command.add("env");
            command.addAll(settings.environment);
        }
        command.add(ChildProcess.java());
        command.add("-Xmx" + settings.heap);
        command.addAll(settings.profile.flags());
        String classPath = settings.classPath();
        ClassArchive archive = classArchive();
        if (archive != null) {
            if (settings.agent) {
                command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+AllowArchivingWithJavaAgent"));
                classPath += File.pathSeparator + Checkout.agentJar();
            }
            command.addAll(settings.writingClassArchive ? List.of(archive.atExit()) : archive.flags());
        }
        command.add(BrokerLogging.jvmArgument(directory));
        if (settings.agent) {
            command.add("-javaagent:" + (settings.agentJar == null ? Checkout.agentJar() : settings.agentJar));
        }
        command.addAll(settings.jvmArguments);
        command.add("-cp");
        command.add(classPath);
        command.add("kafka.Kafka");
        command.add(serverProperties().toString());
        process = ChildProcess.start("broker " + settings.nodeId, command, directory, directory.resolve("broker.log"));
    }

    /** Returns null if no class archive is to be used or written. */
    private ClassArchive classArchive() {
        if (!settings.writingClassArchive && settings.profile != JvmProfile.FAST_START) {
            return null;
        }
        ClassArchive archive = settings.agent
                ? ClassArchive.ofBrokerWithAgent(settings.line)
                : ClassArchive.ofStockBroker(settings.line);
        return settings.writingClassArchive || archive.exists() ? archive : null;
    }

    /** Waits until a broker serves that was started without waiting, for example with {@link #relaunch()}. */
    public void awaitServing() {
        Map<String, Object> admin = settings.security.admin();
        process.awaitReady(
                admin.isEmpty()
                        ? () -> KafkaProbe.serves("127.0.0.1", port)
                        : () -> KafkaProbe.accepts("127.0.0.1", port) && KafkaProbe.serves(bootstrapServers(), admin),
                START_PATIENCE);
    }

    /** Settings of a broker. A builder starts one broker. */
    public static final class Builder {
        private final BrokerLine line;
        /** Null for the Kafka of the checkout. */
        private final String distributionClassPath;

        private final Map<String, String> properties = new TreeMap<>();
        private final Map<String, String> listeners = new TreeMap<>();
        private final List<String> jvmArguments = new ArrayList<>();
        private final List<String> environment = new ArrayList<>();
        private int nodeId = 1;
        private int port;
        private String clusterId = Uuid.randomUuid().toString();
        private boolean agent;
        private boolean verbs;
        private boolean writingClassArchive;
        private boolean awaitServing = true;
        private String heap = "512m";
        private JvmProfile profile = JvmProfile.FAST_START;
        private Path directory;
        /** Null for that of the checkout. */
        private Path agentJar;

        private Path slipstreamDirectory;
        private BrokerSecurity security = BrokerSecurity.NONE;
        private List<BrokerSettings.Voter> voters = List.of();

        private Builder(BrokerLine line, String distributionClassPath) {
            this.line = line;
            this.distributionClassPath = distributionClassPath;
        }

        private String classPath() {
            return distributionClassPath == null ? line.classPath() : distributionClassPath;
        }

        /** Attaches the plugin's agent jar. Without it the broker is unmodified. */
        public Builder withAgent() {
            agent = true;
            return this;
        }

        /** Attaches another build of the agent than the checkout's; not with {@link JvmProfile#FAST_START}. */
        public Builder withAgent(Path otherJar) {
            agentJar = otherJar;
            return withAgent();
        }

        /** Attaches the agent, uses an RDMA device, and serves the control channel over TCP, as between hosts. */
        public Builder withVerbs() {
            verbs = true;
            return withAgent();
        }

        /** Makes the JVM write an archive of its loaded classes when it exits. */
        Builder writingClassArchive() {
            writingClassArchive = true;
            return this;
        }

        /** Adds or overrides a property in {@code server.properties}. */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Adds a listener on a free port of 127.0.0.1 with a protocol such as {@code SASL_SSL}. */
        public Builder listener(String name, String securityProtocol) {
            listeners.put(name, securityProtocol);
            return this;
        }

        public Builder jvmArgument(String argument) {
            jvmArguments.add(argument);
            return this;
        }

        /** Adds environment variables of the broker process, as {@code NAME=VALUE}. */
        public Builder environment(List<String> variables) {
            environment.addAll(variables);
            return this;
        }

        /** Sets the maximum heap, for example {@code 512m}, the default. */
        public Builder heap(String size) {
            heap = size;
            return this;
        }

        public Builder profile(JvmProfile chosen) {
            profile = chosen;
            return this;
        }

        public Builder nodeId(int id) {
            nodeId = id;
            return this;
        }

        public Builder clusterId(String id) {
            clusterId = id;
            return this;
        }

        /** Sets a fixed port. By default the builder chooses a free port. */
        public Builder port(int number) {
            port = number;
            return this;
        }

        /** Sets the directory of all files, which close() keeps; by default a temporary, deleted one. */
        public Builder directory(Path path) {
            directory = path;
            return this;
        }

        /** Sets {@code slipstream.directory}; by default a directory below the broker's. */
        public Builder slipstreamDirectory(Path path) {
            slipstreamDirectory = path;
            return this;
        }

        /** Requires authentication of clients, brokers and controllers. */
        public Builder secured(BrokerSecurity how) {
            security = how;
            return this;
        }

        Builder voters(List<BrokerSettings.Voter> all) {
            voters = all;
            return this;
        }

        /** Makes {@link #start} return at once; a cluster serves once a majority of controllers runs. */
        public Builder withoutAwaitingService() {
            awaitServing = false;
            return this;
        }

        /**
         * Formats the storage, starts the broker and returns when it serves.
         *
         * @throws StartFailure if the broker exits or does not serve in time
         */
        public BrokerProcess start() {
            BrokerProcess broker = new BrokerProcess(this);
            try {
                broker.startAnew();
                return broker;
            } catch (RuntimeException failure) {
                broker.close();
                throw failure;
            }
        }
    }
}
