// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;

/**
 * The proxy jar in its own JVM on 127.0.0.1. It keeps its ports over {@link #restart()}. Not safe for concurrent use.
 */
public final class ProxyProcess implements AutoCloseable {
    /** Directory of the control sockets of the host's brokers. */
    public static final String SLIPSTREAM_DIRECTORY = "slipstream.directory";

    /** TCP ports of the plugins' control channels: {@code NODE_ID:PORT,...}. */
    public static final String CONTROL_PORTS = "rdma.control.ports";

    /** {@code true} (the default) or {@code false}, which sends everything over TCP. */
    public static final String RDMA_ENABLED = "rdma.enabled";

    /** {@code auto}, {@code shm}, {@code tcp} … */
    public static final String RDMA_PROVIDER = "rdma.provider";

    /** The prefix with which Netty's leak detector reports an unreleased buffer. */
    private static final String LEAK = "LEAK:";

    private static final String UPSTREAM = "bootstrap.servers";
    private static final String LISTEN_HOST = "listen.host";
    private static final String LISTEN_PORT = "listen.port";
    private static final String BROKER_PORT_BASE = "broker.port.base";
    private static final String MANAGEMENT_PORT = "management.port";
    private static final String CONTROL_TIMEOUT_MS = "rdma.control.timeout.ms";

    private static final Duration START_PATIENCE = Patience.ofSeconds(30);
    private static final int HTTP_PATIENCE_MS = Patience.ms(5_000);
    private static final int PORT_ATTEMPTS = 3;
    /** The bootstrap port, one port per broker up to node id 7, and the management port. */
    private static final int PORT_RANGE = 10;

    private final Builder settings;
    private final TempDirectory ownedDirectory;
    private final Path directory;
    private int port;
    private int brokerPortBase;
    private int managementPort;
    private ChildProcess process;

    private ProxyProcess(Builder settings) {
        this.settings = settings;
        ownedDirectory = settings.directory == null ? TempDirectory.create("ss-p") : null;
        directory = settings.directory == null ? ownedDirectory.path() : settings.directory;
    }

    /** @param upstream bootstrap servers of the brokers */
    public static Builder builder(String upstream) {
        return new Builder(upstream);
    }

    /**
     * Returns a builder that locates the broker's plugin: over TCP if the plugin uses an RDMA device, else through its
     * control socket.
     */
    public static Builder builder(BrokerProcess broker) {
        if (broker.controlPort() != 0) {
            return new Builder(broker.bootstrapServers())
                    .property(
                            SLIPSTREAM_DIRECTORY,
                            broker.directory().resolve("elsewhere").toString())
                    .property(RDMA_PROVIDER, "verbs")
                    .property(CONTROL_PORTS, broker.nodeId() + ":" + broker.controlPort());
        }
        return new Builder(broker.bootstrapServers())
                .property(SLIPSTREAM_DIRECTORY, broker.slipstreamDirectory().toString());
    }

    /** Returns the bootstrap address for clients. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    /** Returns the URL without a trailing slash. */
    public String managementUrl() {
        return "http://127.0.0.1:" + managementPort;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public Path log() {
        return process.log();
    }

    public String logTail() {
        return process.logTail();
    }

    /** Scrapes the current values of all metrics. */
    public MetricSamples metrics() {
        return MetricSamples.parse(get("/metrics"));
    }

    /**
     * Returns the body of a management page.
     *
     * @throws IllegalStateException if the status is not 200
     */
    public String get(String path) {
        try {
            HttpURLConnection connection = connect(path);
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IllegalStateException(managementUrl() + path + " answered with status " + status);
            }
            try (InputStream body = connection.getInputStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + managementUrl() + path, e);
        }
    }

    /**
     * Has the client connect to each broker's port, on which the proxy sets up its links, and waits for a link. Returns
     * false if there is none in time.
     *
     * @throws ExecutionException if the client cannot connect
     */
    public boolean awaitLink(Admin client, Duration patience)
            throws ExecutionException, InterruptedException, TimeoutException {
        Deadline deadline = Deadline.after(patience);
        for (Node node : client.describeCluster().nodes().get(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            // The broker itself must answer this. The answer does not matter.
            client.describeConfigs(List.of(new ConfigResource(ConfigResource.Type.BROKER, node.idString())));
        }
        return deadline.await(() -> metrics().count("slipstream_links_up") > 0);
    }

    /** The same with a client of its own, which has no credentials. */
    public boolean awaitLink(Duration patience) throws ExecutionException, InterruptedException, TimeoutException {
        try (Admin client = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()))) {
            return awaitLink(client, patience);
        }
    }

    /** Switches RDMA on or off at run time for all connections, which stay open. */
    public void switchRdma(boolean enabled) {
        String path = "/rdma?enabled=" + enabled;
        try {
            HttpURLConnection connection = connect(path);
            connection.setRequestMethod("PUT");
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IllegalStateException(managementUrl() + path + " answered with status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot switch RDMA at " + managementUrl() + path, e);
        }
    }

    /** Returns the body of {@code /readyz}, whatever its status; empty if the proxy does not answer. */
    public String readiness() {
        try {
            HttpURLConnection connection = connect("/readyz");
            boolean ready = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            try (InputStream body = ready ? connection.getInputStream() : connection.getErrorStream()) {
                return body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException notYet) {
            return "";
        }
    }

    public boolean isReady() {
        try {
            return connect("/readyz").getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Sends SIGTERM and waits for the exit. Idempotent. */
    public void stop() {
        process.stop();
    }

    /** Sends only SIGTERM. Returns the exit status, or -1 if the proxy still runs after {@code patience}. */
    public int terminate(Duration patience) {
        process.terminate();
        return process.awaitExit(patience);
    }

    public void kill9() {
        process.kill9();
    }

    /** Starts the proxy again with the same settings and ports. Returns when the proxy is ready. */
    public void restart() {
        process.stop();
        launch();
    }

    /**
     * Stops the proxy and deletes the directory if this object created it.
     *
     * @throws IllegalStateException if the proxy reported a leaked buffer
     */
    @Override
    public void close() {
        try {
            if (process != null) {
                process.stop();
                refuseLeaks();
            }
        } finally {
            if (ownedDirectory != null) {
                ownedDirectory.close();
            }
        }
    }

    private void refuseLeaks() {
        try (Stream<String> lines = Files.lines(process.log())) {
            lines.filter(line -> line.contains(LEAK)).findFirst().ifPresent(line -> {
                throw new IllegalStateException("the proxy leaked a buffer: " + line + process.logTail());
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + process.log(), e);
        }
    }

    private HttpURLConnection connect(String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(managementUrl() + path).toURL().openConnection();
        connection.setConnectTimeout(HTTP_PATIENCE_MS);
        connection.setReadTimeout(HTTP_PATIENCE_MS);
        return connection;
    }

    private void startAnew() {
        for (int attempt = 1; ; attempt++) {
            int first = Ports.freeRange(PORT_RANGE);
            port = settings.port == 0 ? first : settings.port;
            brokerPortBase = settings.port == 0 ? first : settings.port;
            managementPort = settings.managementPort == 0 ? first + PORT_RANGE - 1 : settings.managementPort;
            try {
                launch();
                return;
            } catch (StartFailure failure) {
                process.kill9();
                boolean portTaken = failure.getMessage().contains("in use");
                if (!portTaken || settings.port != 0 || attempt == PORT_ATTEMPTS) {
                    throw failure;
                }
            }
        }
    }

    private void launch() {
        Path file = directory.resolve("proxy.properties");
        try {
            Files.createDirectories(directory);
            Files.writeString(file, configuration());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        List<String> command = new ArrayList<>();
        command.add(ChildProcess.java());
        command.add("-Xmx" + settings.heap);
        command.addAll(settings.profile.flags());
        if (settings.profile == JvmProfile.FAST_START) {
            command.add("-Dio.netty.leakDetection.level=paranoid");
            // Every leak is found; its report names who retained and released the buffer, not who read it.
            command.add("-Dio.netty.leakDetection.acquireAndReleaseOnly=true");
            command.addAll(ClassArchive.ofProxy().flags());
        }
        command.addAll(settings.jvmArguments);
        Path jar = settings.jar == null ? Checkout.proxyJar() : settings.jar;
        command.addAll(List.of("-jar", jar.toString(), "--config", file.toString()));
        process = ChildProcess.start("proxy", command, directory, directory.resolve("proxy.log"));
        if (settings.awaitServing) {
            process.awaitReady(this::isReady, START_PATIENCE);
        }
    }

    private String configuration() {
        Map<String, String> lines = new TreeMap<>();
        lines.put(UPSTREAM, settings.upstream);
        lines.put(LISTEN_HOST, "127.0.0.1");
        lines.put(LISTEN_PORT, Integer.toString(port));
        lines.put(BROKER_PORT_BASE, Integer.toString(brokerPortBase));
        lines.put(MANAGEMENT_PORT, Integer.toString(managementPort));
        lines.put(CONTROL_TIMEOUT_MS, Integer.toString(Patience.ms(5_000)));
        lines.putAll(settings.properties);
        StringBuilder text = new StringBuilder();
        lines.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }

    /** Settings of a proxy. */
    public static final class Builder {
        private final String upstream;
        private final Map<String, String> properties = new TreeMap<>();
        private final List<String> jvmArguments = new ArrayList<>();
        private int port;
        private int managementPort;
        private boolean awaitServing = true;
        private String heap = "256m";
        private JvmProfile profile = JvmProfile.FAST_START;
        private Path directory;
        /** Null for that of the checkout. */
        private Path jar;

        private Builder(String upstream) {
            this.upstream = upstream;
        }

        /** Adds or overrides a key in the proxy's configuration file. */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Sends everything over TCP. */
        public Builder withoutRdma() {
            return property(RDMA_ENABLED, "false");
        }

        public Builder jvmArgument(String argument) {
            jvmArguments.add(argument);
            return this;
        }

        public Builder heap(String size) {
            heap = size;
            return this;
        }

        /** Runs another build of the proxy than the checkout's; not with {@link JvmProfile#FAST_START}. */
        public Builder jar(Path otherJar) {
            jar = otherJar;
            return this;
        }

        public Builder profile(JvmProfile chosen) {
            profile = chosen;
            return this;
        }

        public Builder managementPort(int number) {
            managementPort = number;
            return this;
        }

        /**
         * Sets a fixed bootstrap port; broker n gets the n-th port after it. By default the builder chooses free ports.
         */
        public Builder port(int number) {
            port = number;
            return this;
        }

        /**
         * Sets the directory of configuration and log, which close() keeps. The default is a temporary directory that
         * close() deletes.
         */
        public Builder directory(Path path) {
            directory = path;
            return this;
        }

        /** Makes {@link #start} return at once, for a proxy that may never become ready. */
        public Builder withoutAwaitingService() {
            awaitServing = false;
            return this;
        }

        /**
         * Starts the proxy and returns when {@code /readyz} reports it ready.
         *
         * @throws StartFailure if the proxy exits or is not ready in time
         */
        public ProxyProcess start() {
            ProxyProcess proxy = new ProxyProcess(this);
            try {
                proxy.startAnew();
                return proxy;
            } catch (RuntimeException failure) {
                proxy.close();
                throw failure;
            }
        }
    }
}
