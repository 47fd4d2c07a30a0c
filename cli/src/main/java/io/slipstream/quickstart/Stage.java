// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.KafkaDistribution;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import io.slipstream.process.StartFailure;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/** The broker, the proxy and the data directory of a quickstart. One other thread may call {@link #close()}, once. */
final class Stage implements AutoCloseable {
    /** The bootstrap port and the port of broker 1 after it. */
    static final int PORTS = 2;

    private static final Duration PLUGIN_PATIENCE = Patience.ofSeconds(10);
    private static final Duration LINK_PATIENCE = Patience.ofSeconds(15);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TempDirectory directory = TempDirectory.create("ss-q");
    private final KafkaDistribution kafka;
    private final int port;
    private final ProviderChoice provider;
    private final boolean secure;
    private final PrintStream out;
    private Admission admission = Admission.OPEN;
    /** Null unless the quickstart is secured. */
    private SecureAdmission secured;

    private Administrator administrator;
    private BrokerProcess broker;
    private ProxyProcess proxy;
    private boolean closed;

    Stage(KafkaDistribution kafka, int port, ProviderChoice provider, boolean secure, PrintStream out) {
        this.kafka = kafka;
        this.port = port;
        this.provider = provider;
        this.secure = secure;
        this.out = out;
    }

    void start() {
        out.println("data directory " + directory.path() + " (deleted at the end)");
        if (secure) {
            secured = new SecureAdmission(directory.directory("c"));
            admission = secured;
        }
        BrokerProcess startedBroker = startBroker();
        out.printf(
                "broker  %s  stock Apache Kafka %s with the agent, process %d%n",
                startedBroker.bootstrapServers(), startedBroker.line().number(), startedBroker.pid());
        if (secure) {
            allow(startedBroker);
        }
        ProxyProcess startedProxy = startProxy(startedBroker);
        out.printf(
                "proxy   %s  process %d, metrics at %s/metrics%n",
                startedProxy.bootstrapServers(), startedProxy.pid(), startedProxy.managementUrl());
        if (secure) {
            out.printf(
                    "both serve only %s: TLS with certificates generated for this run, %s, and Kafka's StandardAuthorizer%n",
                    SecureAdmission.PROTOCOL.name, SecureAdmission.MECHANISM);
        }
    }

    private void allow(BrokerProcess upstream) {
        Administrator opened = new Administrator(upstream.bootstrapServers(), secured.client(Role.ADMIN));
        synchronized (this) {
            administrator = opened;
        }
        opened.giveAll();
    }

    private BrokerProcess startBroker() {
        BrokerProcess.Builder builder =
                BrokerProcess.builder(kafka).directory(directory.directory("b")).profile(JvmProfile.PRODUCTION);
        switch (provider) {
            // As between hosts: the proxy reaches the plugin over TCP.
            case VERBS -> builder.withVerbs();
            case SHM -> builder.withAgent().property("slipstream.provider", provider.setting());
            default -> builder.withAgent();
        }
        admission.secure(builder);
        BrokerProcess started = builder.start();
        synchronized (this) {
            broker = started;
        }
        if (!Deadline.after(PLUGIN_PATIENCE).await(() -> Files.exists(started.pluginSocket()))) {
            out.println("the broker's plugin does not serve, so all requests go over TCP; see " + started.log());
        }
        return started;
    }

    private ProxyProcess startProxy(BrokerProcess upstream) {
        ProxyProcess.Builder builder = ProxyProcess.builder(upstream)
                .directory(directory.directory("p"))
                .profile(JvmProfile.SIDECAR)
                .property(ProxyProcess.RDMA_PROVIDER, provider.setting())
                .port(port);
        if (Ports.isFree(port - 1)) {
            builder.managementPort(port - 1);
        }
        admission.secure(builder);
        ProxyProcess started = builder.start();
        synchronized (this) {
            proxy = started;
        }
        if (provider != ProviderChoice.TCP && Files.exists(upstream.pluginSocket()) && !hasLink(started)) {
            out.println("the proxy has no link to the broker yet; see " + started.log());
        }
        return started;
    }

    /** A proxy of a secured broker has no credentials of its own and learns the brokers by its first client. */
    private boolean hasLink(ProxyProcess started) {
        Map<String, Object> settings = new HashMap<>(admission.client(Role.SENSORS));
        settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, started.bootstrapServers());
        try (Admin client = Admin.create(settings)) {
            return started.awaitLink(client, LINK_PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            throw new StartFailure("no client can connect through the proxy: " + e + started.logTail());
        }
    }

    /**
     * Runs the demonstration and prints its report. Returns whether all events arrived correctly and no unauthorized
     * client succeeded.
     */
    boolean demonstrate(long records, long seed, Path json) {
        out.printf(
                "%n%,d traffic events (seed %d) from sensors to a consumer group, through %s …%n",
                records, seed, proxy.bootstrapServers());
        PathCounts before = PathCounts.in(proxy.metrics());
        DemonstrationResult result = new Demonstration(proxy.bootstrapServers(), admission, records, seed).run();
        MetricSamples samples = proxy.metrics();
        PathCounts paths = PathCounts.in(samples).since(before);
        Report.print(result, paths, samples, out);
        Map<String, Object> object = Report.json(result, paths, providerUsed(paths, samples));
        boolean tight = !secure || isTight(paths, object);
        if (json != null) {
            writeWhole(json, object);
        }
        return result.isExact() && tight;
    }

    /** @param json receives the results */
    private boolean isTight(PathCounts demonstrated, Map<String, Object> json) {
        boolean rdma = provider != ProviderChoice.TCP;
        SecurityResult seen = new SecurityCheck(
                        secured,
                        broker.bootstrapServers(),
                        proxy.bootstrapServers(),
                        () -> PathCounts.in(proxy.metrics()))
                .run(administrator);
        seen.print(out);
        boolean tight = seen.isTight(rdma) && (!rdma || SecurityResult.isEnough(demonstrated));
        json.put("security", seen.json(demonstrated, tight));
        if (!tight) {
            out.println("failed: see WRONG and the RDMA shares above");
        }
        return tight;
    }

    private static String providerUsed(PathCounts paths, MetricSamples samples) {
        if (paths.rdmaProduced() + paths.rdmaFetched() == 0) {
            return ProviderChoice.TCP.setting();
        }
        return samples.all().stream()
                .filter(sample -> sample.name().equals("slipstream_rdma_device"))
                .map(sample -> sample.labels().get("provider"))
                .findFirst()
                .orElse("unknown");
    }

    void writeReadyFile(Path file) {
        Map<String, Object> ready = new LinkedHashMap<>();
        ready.put("proxyBootstrap", proxy.bootstrapServers());
        ready.put("brokerBootstrap", broker.bootstrapServers());
        ready.put("managementUrl", proxy.managementUrl());
        ready.put("brokerPid", broker.pid());
        ready.put("proxyPid", proxy.pid());
        if (secure) {
            ready.put("clientProperties", secured.clientFiles());
        }
        writeWhole(file, ready);
    }

    void printInvitation() {
        if (secure) {
            printSecureInvitation();
            return;
        }
        out.printf("%nServing on localhost:%d until Ctrl-C. For example:%n", port);
        out.printf("  kcat -b localhost:%d -t %s -C -e -q | head%n", port, Demonstration.TOPIC);
        out.printf("  echo hello | kcat -b localhost:%d -t mine -P%n", port);
        out.printf("  curl -s %s/metrics | grep slipstream_records_total%n", proxy.managementUrl());
    }

    private void printSecureInvitation() {
        out.printf("%nServing SASL_SSL on localhost:%d until Ctrl-C. Files of this run:%n", port);
        out.printf("  broker    %s%n", broker.directory().resolve("server.properties"));
        out.printf("  proxy     %s%n", directory.path().resolve("p/proxy.properties"));
        for (Role role : Role.values()) {
            out.printf("  %-9s %s%n", role.user(), secured.clientProperties(role));
        }
        out.printf("For example, with the tools of Kafka 4.2 or newer:%n");
        String topic = " --topic " + Demonstration.TOPIC;
        command("kafka-console-producer.sh", port, topic, Role.SENSORS);
        command("kafka-console-consumer.sh", port, topic + " --from-beginning --group traffic-mine", Role.DASHBOARD);
        command("kafka-console-consumer.sh", port, topic + " --from-beginning --group traffic-mine", Role.INTRUDER);
        command("kafka-acls.sh", port, " --list", Role.ADMIN);
        out.printf("  curl -s %s/metrics | grep slipstream_records_total%n", proxy.managementUrl());
        out.println("To set this up by hand, see deploy/example/secure");
    }

    private void command(String tool, int at, String arguments, Role role) {
        out.printf(
                "  %s --bootstrap-server localhost:%d%s --command-config %s%n",
                tool, at, arguments, secured.clientProperties(role));
    }

    /** Replaces the file atomically: readers see it complete or not at all. */
    private static void writeWhole(Path file, Map<String, Object> object) {
        Path target = file.toAbsolutePath();
        Path part = target.resolveSibling("." + target.getFileName() + ".part");
        try {
            Files.writeString(part, JSON.writeValueAsString(object) + "\n");
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + target, e);
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (administrator != null) {
            administrator.close();
        }
        if (proxy != null) {
            proxy.close();
        }
        if (broker != null) {
            broker.close();
        }
        directory.close();
    }
}
