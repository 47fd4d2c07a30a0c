// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyConfigLoader;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.listener.BindException;
import io.slipstream.proxy.log.LogOutput;
import io.slipstream.proxy.tls.Encryption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line of the proxy. Exit status: 0 stopped by a signal, 1 could not start, 2 wrong configuration or usage,
 * 3 stopped by a signal but clients were disconnected at the drain's deadline. SIGTERM and SIGINT stop the proxy, a
 * second one at once. SIGUSR1 switches RDMA. SIGHUP reads the configuration again.
 */
@Command(
        name = "slipstream-proxy",
        mixinStandardHelpOptions = true,
        versionProvider = SidecarMain.Version.class,
        sortOptions = false,
        description = "Serves unmodified Kafka clients; uses RDMA to brokers with the plugin where possible.",
        footer = {
            "",
            "Settings come from the file, then from SLIPSTREAM_... variables of the environment,",
            "then from --set; the last one wins. bootstrap.servers is the only one required."
        })
public final class SidecarMain implements Callable<Integer> {
    private static final int NOT_STARTED = 1;
    private static final int WRONG_CONFIGURATION = 2;
    private static final int CUT_OFF = 3;
    private static final long READY_POLL_MS = 20;
    /** Time for work after the drain, such as the release of memory. The termination grace period must include it. */
    private static final long STOP_PATIENCE_MS = 5_000;

    private static final Logger log = LoggerFactory.getLogger(SidecarMain.class);

    @Option(names = "--config", paramLabel = "FILE", description = "Properties file.")
    private Path file;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "One setting; may be repeated.")
    private Map<String, String> settings = new HashMap<>();

    @Option(names = "--validate", description = "Check the configuration, print it, and exit.")
    private boolean validate;

    @Option(names = "--ready-file", paramLabel = "FILE", description = "Written, as JSON, once clients are served.")
    private Path readyFile;

    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    public static void main(String[] arguments) {
        if (System.getProperty(LEAK_DETECTION) == null) {
            // Netty's default takes a stack trace for one in 128 buffers.
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        System.exit(new CommandLine(new SidecarMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        try {
            ProxyConfig config = ProxyConfigLoader.load(file, System.getenv(), settings);
            return validate ? describe(config) : run(config);
        } catch (ConfigException e) {
            System.err.println("slipstream-proxy: " + e.getMessage());
            return WRONG_CONFIGURATION;
        }
    }

    private static int describe(ProxyConfig config) {
        // Reads the key and trust stores.
        new Encryption(config).close();
        System.out.print(config.describe());
        return 0;
    }

    private int run(ProxyConfig config) throws InterruptedException, IOException {
        LogOutput.configure(config.logsJson(), config.logLevel());
        Sidecar sidecar;
        try {
            sidecar = Sidecar.start(config);
        } catch (BindException e) {
            System.err.println("slipstream-proxy: " + e.getMessage());
            return NOT_STARTED;
        }
        CountDownLatch stop = new CountDownLatch(1);
        obeySignals(sidecar, stop);
        // For a JVM that keeps the signals for itself, and for callers of System.exit.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            sidecar.close();
                            stop.countDown();
                        },
                        "slipstream-stop"));
        if (readyFile != null) {
            writeReadyFile(sidecar, stop);
        }
        stop.await();
        endInTime(sidecar, config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS) + STOP_PATIENCE_MS);
        sidecar.close();
        return statusOf(sidecar);
    }

    private static int statusOf(Sidecar sidecar) {
        return sidecar.hasCutClients() ? CUT_OFF : 0;
    }

    private void obeySignals(Sidecar sidecar, CountDownLatch stop) {
        for (String signal : new String[] {"TERM", "INT"}) {
            Signals.on(signal, () -> {
                if (stop.getCount() == 0) {
                    log.warn("SIG{} again: stopping at once", signal);
                    Runtime.getRuntime().halt(CUT_OFF);
                }
                log.info("SIG{}", signal);
                stop.countDown();
            });
        }
        // The JVM uses SIGUSR2 itself.
        Signals.on("USR1", () -> sidecar.setRdmaEnabled(!sidecar.isRdmaEnabled()));
        Signals.on("HUP", () -> readAgain(sidecar));
    }

    private void readAgain(Sidecar sidecar) {
        try {
            Set<String> later = sidecar.follow(ProxyConfigLoader.load(file, System.getenv(), settings));
            log.info("SIGHUP: configuration read{}", later.isEmpty() ? "" : "; these keys need a restart: " + later);
        } catch (ConfigException | IllegalArgumentException e) {
            log.error("SIGHUP: the configuration stays as it was: {}", e.getMessage());
        }
    }

    /** Ends the process at the deadline, even if this program or a device's driver hangs. */
    private static void endInTime(Sidecar sidecar, long timeoutMs) {
        Thread watch = new Thread(
                () -> {
                    try {
                        TimeUnit.MILLISECONDS.sleep(timeoutMs);
                        log.warn("stopping takes longer than {} ms; the process ends now", timeoutMs);
                        Runtime.getRuntime().halt(statusOf(sidecar));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "slipstream-end");
        watch.setDaemon(true);
        watch.start();
    }

    private void writeReadyFile(Sidecar sidecar, CountDownLatch stop) throws InterruptedException, IOException {
        while (sidecar.notReadyReason() != null) {
            if (stop.await(READY_POLL_MS, TimeUnit.MILLISECONDS)) {
                return;
            }
        }
        Path unfinished = readyFile.resolveSibling(readyFile.getFileName() + ".part");
        Files.writeString(
                unfinished,
                String.format(
                        "{\"bootstrap\":\"%s\",\"management\":\"http://%s\",\"pid\":%d}%n",
                        StartBanner.hostAndPort(sidecar.bootstrapAddress()),
                        StartBanner.hostAndPort(sidecar.managementAddress()),
                        ProcessHandle.current().pid()));
        Files.move(unfinished, readyFile, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Output of --version. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"slipstream-proxy " + BuildInfo.VERSION};
        }
    }
}
