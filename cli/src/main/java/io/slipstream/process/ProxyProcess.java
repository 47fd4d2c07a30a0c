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
import java.util.stream.Stream;

/** The proxy, from its jar, in a JVM of its own on 127.0.0.1. Keeps its ports over {@link #restart()}. Not safe for concurrent use. */
public final class ProxyProcess implements AutoCloseable {
    /** Where the plugins of the host's brokers make their sockets. */
    public static final String SLIPSTREAM_DIRECTORY = "slipstream.directory";

    /** Where the plugins of brokers listen over TCP: {@code NODE_ID:PORT,...}. */
    public static final String CONTROL_PORTS = "rdma.control.ports";

    /** {@code true}, the default, or {@code false}: everything over TCP. */
    public static final String RDMA_ENABLED = "rdma.enabled";

    /** {@code auto}, {@code shm}, {@code tcp} … */
    public static final String RDMA_PROVIDER = "rdma.provider";

    /** What Netty's leak detector says of a buffer that nobody released. */
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
    /** Bootstrap port, one port per broker up to node id 7, and the management port behind them. */
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

    /** A proxy that finds the broker's plugin: by TCP if that uses an RDMA device, else where the broker makes its socket. */
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

    /** What clients connect to first. */
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    /** Without a trailing slash. */
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

    /** The present values of all metrics. */
    public MetricSamples metrics() {
        return MetricSamples.parse(get("/metrics"));
    }

    /** Body of a page of the management port; throws if its status is not 200. */
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

    /** Turns RDMA on or off at run time, for all connections, which stay open. */
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
            throw new UncheckedIOException("cannot switch by " + managementUrl() + path, e);
        }
    }

    /** What {@code /readyz} says, ready or not; empty while it says nothing. */
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

    /** SIGTERM. Idempotent. */
    public void stop() {
        process.stop();
    }

    /** SIGTERM and nothing more; the exit status, or -1 if the proxy still runs when the deadline is over. */
    public int terminate(Duration patience) {
        process.terminate();
        return process.awaitExit(patience);
    }

    public void kill9() {
        process.kill9();
    }

    /** Starts again with the same settings and ports; returns when the proxy is ready. */
    public void restart() {
        process.stop();
        launch();
    }

    /** Stops, and deletes the directory if it was made here. Throws if the proxy reported a leaked buffer. */
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
            command.addAll(ClassArchive.ofProxy().flags());
        }
        command.addAll(settings.jvmArguments);
        command.addAll(List.of("-jar", Checkout.proxyJar().toString(), "--config", file.toString()));
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

    /** Settings of a proxy to be started. */
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

        private Builder(String upstream) {
            this.upstream = upstream;
        }

        /** Adds or overrides a line of the proxy's configuration file. */
        public Builder property(String key, String value) {
            properties.put(key, value);
            return this;
        }

        /** Everything over TCP. */
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

        public Builder profile(JvmProfile chosen) {
            profile = chosen;
            return this;
        }

        public Builder managementPort(int number) {
            managementPort = number;
            return this;
        }

        /** A fixed bootstrap port, with broker n on the n-th port behind it; by default free ones are chosen. */
        public Builder port(int number) {
            port = number;
            return this;
        }

        /** Where configuration and log go, kept on close; by default a temporary directory, deleted on close. */
        public Builder directory(Path path) {
            directory = path;
            return this;
        }

        /** {@link #start} returns at once: of a proxy that may never be ready. */
        public Builder withoutAwaitingService() {
            awaitServing = false;
            return this;
        }

        /** Starts the proxy and returns when {@code /readyz} says so; throws {@link StartFailure}. */
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
