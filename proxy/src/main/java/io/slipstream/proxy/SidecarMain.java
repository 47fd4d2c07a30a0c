package io.slipstream.proxy;

import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyConfigLoader;
import io.slipstream.proxy.listener.BindException;
import io.slipstream.proxy.tls.Encryption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the proxy. Exit status: 0 stopped as asked, 1 could not start, 2 wrong configuration or usage. */
@Command(
        name = "slipstream-proxy",
        mixinStandardHelpOptions = true,
        versionProvider = SidecarMain.Version.class,
        sortOptions = false,
        description =
                "Serves unmodified Kafka clients; carries Produce and Fetch by RDMA where brokers have the plugin.",
        footer = {
            "",
            "Settings come from the file, then from SLIPSTREAM_... variables of the environment,",
            "then from --set; the last one wins. bootstrap.servers is the only one required."
        })
public final class SidecarMain implements Callable<Integer> {
    private static final int NOT_STARTED = 1;
    private static final int WRONG_CONFIGURATION = 2;
    private static final long READY_POLL_MS = 20;

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
            // Netty's own default takes a stack trace of one in 128 buffers.
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        System.exit(new CommandLine(new SidecarMain()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        ProxyConfig config;
        try {
            config = ProxyConfigLoader.load(file, System.getenv(), settings);
        } catch (ConfigException e) {
            System.err.println("slipstream-proxy: " + e.getMessage());
            return WRONG_CONFIGURATION;
        }
        try {
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
        Sidecar sidecar;
        try {
            sidecar = Sidecar.start(config);
        } catch (BindException e) {
            System.err.println("slipstream-proxy: " + e.getMessage());
            return NOT_STARTED;
        }
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            sidecar.close();
                            stopped.countDown();
                        },
                        "slipstream-stop"));
        if (readyFile != null) {
            writeReadyFile(sidecar);
        }
        stopped.await();
        return 0;
    }

    private void writeReadyFile(Sidecar sidecar) throws InterruptedException, IOException {
        while (sidecar.notReadyReason() != null) {
            TimeUnit.MILLISECONDS.sleep(READY_POLL_MS);
        }
        Path unfinished = readyFile.resolveSibling(readyFile.getFileName() + ".part");
        Files.writeString(
                unfinished,
                String.format(
                        "{\"bootstrap\":\"%s\",\"management\":\"http://%s\",\"pid\":%d}%n",
                        hostAndPort(sidecar.bootstrapAddress()),
                        hostAndPort(sidecar.managementAddress()),
                        ProcessHandle.current().pid()));
        Files.move(unfinished, readyFile, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String hostAndPort(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Answers --version. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"slipstream-proxy " + BuildInfo.version()};
        }
    }
}
