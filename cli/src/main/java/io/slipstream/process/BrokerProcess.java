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
 * A stock Kafka broker, its own controller, in a JVM of its own, listening on 127.0.0.1, without authentication unless it is {@link Builder#secured}, and on what {@link Builder#listener} adds. It keeps its ports and data
 * directory over {@link #restart()}. Long for its builder, which is the list of what a test may ask for. Not safe for concurrent use.
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

    /** Of that Kafka, which need not be the checkout's. */
    public static Builder builder(KafkaDistribution kafka) {
        return new Builder(kafka.line(), kafka.classPath());
    }

    /** Host and port of the first listener, PLAINTEXT unless the broker is {@link Builder#secured}. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    /** Port of a listener that {@link Builder#listener} added. */
    public int port(String listener) {
        return listeners.stream()
                .filter(each -> each.name().equals(listener))
                .mapToInt(BrokerSettings.Listener::port)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no listener " + listener));
    }

    /** Where the plugin listens for proxies over TCP; 0 unless {@link Builder#withVerbs}. */
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

    /** Holds server.properties, the broker's log {@code broker.log} and its data {@code data}. */
    public Path directory() {
        return directory;
    }

    public Path logDirectory() {
        return directory.resolve("data");
    }

    /** Value of {@code slipstream.directory}: where the plugin of this broker makes its socket. */
    public Path slipstreamDirectory() {
        return settings.slipstreamDirectory == null ? directory.resolve("s") : settings.slipstreamDirectory;
    }

    /** The control channel's socket; there as soon as the plugin serves. */
    public Path pluginSocket() {
        return slipstreamDirectory().resolve(settings.clusterId + "." + settings.nodeId + ".sock");
    }

    public Path log() {
        return process.log();
    }

    public String logTail() {
        return process.logTail();
    }

    /** SIGTERM, a clean shutdown; the data stays. Idempotent. */
    public void stop() {
        process.stop();
    }

    /** SIGKILL, as in a crash of the process; the data stays. */
    public void kill9() {
        process.kill9();
    }

    /** Starts again on the same data and ports; returns when the broker serves. */
    public void restart() {
        relaunch();
        awaitServing();
    }

    /** As {@link #restart()}, but returns at once; {@link #awaitServing()} waits for the rest. */
    public void relaunch() {
        process.stop();
        launch();
    }

    /** As {@link #restart()}, from now on with the plugin or entirely stock. */
    public void restartWithAgent(boolean attached) {
        settings.agent = attached;
        restart();
    }

    /** Stops, and deletes the directory if it was made here. */
    @Override
    public void close() {
        if (process != null) {
            process.stop();
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
                // A broker that stops says a lot more behind it.
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
            command.add("-javaagent:" + Checkout.agentJar());
        }
        command.addAll(settings.jvmArguments);
        command.add("-cp");
        command.add(classPath);
        command.add("kafka.Kafka");
        command.add(serverProperties().toString());
        process = ChildProcess.start("broker " + settings.nodeId, command, directory, directory.resolve("broker.log"));
    }

    /** Null if there is none to be used or written. */
    private ClassArchive classArchive() {
        if (!settings.writingClassArchive && settings.profile != JvmProfile.FAST_START) {
            return null;
        }
        ClassArchive archive = settings.agent
                ? ClassArchive.ofBrokerWithAgent(settings.line)
                : ClassArchive.ofStockBroker(settings.line);
        return settings.writingClassArchive || archive.exists() ? archive : null;
    }

    /** Of a broker that was started {@link Builder#withoutAwaitingService} or by {@link #relaunch()}. */
    public void awaitServing() {
        Map<String, Object> admin = settings.security.admin();
        process.awaitReady(
                admin.isEmpty()
                        ? () -> KafkaProbe.serves("127.0.0.1", port)
                        : () -> KafkaProbe.accepts("127.0.0.1", port) && KafkaProbe.serves(bootstrapServers(), admin),
                START_PATIENCE);
    }

    /** Settings of a broker to be started; a builder starts one broker. */
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

        /** Attaches the plugin's agent jar; without it the broker is entirely stock. */
        public Builder withAgent() {
            agent = true;
            return this;
        }

        /** With the agent, by an RDMA device, the control channel over TCP: as on a host of its own. */
        public Builder withVerbs() {
            verbs = true;
            return withAgent();
        }

        /** Its classes are archived when it ends. */
        Builder writingClassArchive() {
            writingClassArchive = true;
            return this;
        }

        /** Adds or overrides a line of server.properties. */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** One more listener, on a free port of 127.0.0.1; {@code securityProtocol} as Kafka spells it, such as {@code SASL_SSL}. */
        public Builder listener(String name, String securityProtocol) {
            listeners.put(name, securityProtocol);
            return this;
        }

        public Builder jvmArgument(String argument) {
            jvmArguments.add(argument);
            return this;
        }

        /** Variables of the broker's environment, as {@code NAME=VALUE}. */
        public Builder environment(List<String> variables) {
            environment.addAll(variables);
            return this;
        }

        /** For example {@code 512m}, the default. */
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

        /** A fixed port; by default a free one is chosen. */
        public Builder port(int number) {
            port = number;
            return this;
        }

        /** Where all files go, kept on close; by default a temporary directory, deleted on close. */
        public Builder directory(Path path) {
            directory = path;
            return this;
        }

        /** {@code slipstream.directory}, to be shared by the brokers of a host; by default one below the broker's directory. */
        public Builder slipstreamDirectory(Path path) {
            slipstreamDirectory = path;
            return this;
        }

        /** Lets nobody in who does not say who it is, neither clients nor brokers nor controllers. */
        public Builder secured(BrokerSecurity how) {
            security = how;
            return this;
        }

        Builder voters(List<BrokerSettings.Voter> all) {
            voters = all;
            return this;
        }

        /** {@link #start} returns at once: of a cluster's brokers none serves before a majority of controllers runs. */
        public Builder withoutAwaitingService() {
            awaitServing = false;
            return this;
        }

        /** Formats the storage, starts the broker and returns when it serves; throws {@link StartFailure}. */
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
