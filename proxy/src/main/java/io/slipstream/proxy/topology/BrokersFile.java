// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.proxy.config.ProxyKeys;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The known brokers in a file, so that a proxy that starts again opens their ports before a client lists them. Java
 * properties: {@code bootstrap.servers}, {@code cluster.id}, and {@code broker.NODE_ID} with {@code HOST:PORT}. A file
 * of other bootstrap servers is ignored. A thread of its own writes, because a disk may be slow.
 */
public final class BrokersFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BrokersFile.class);
    private static final String CLUSTER_ID = "cluster.id";
    private static final String BROKER = "broker.";
    private static final int CLOSE_WAIT_S = 1;

    private final Path file;
    private final String bootstrapServers;
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("slipstream-brokers-file", true));
    /** What is to be written next; null if nothing is. */
    private final AtomicReference<Properties> next = new AtomicReference<>();

    /** @param bootstrapServers by which the brokers are found */
    public BrokersFile(Path file, List<?> bootstrapServers) {
        this.file = file;
        this.bootstrapServers = bootstrapServers.toString();
    }

    /**
     * Lets the topology learn what the file holds, and waits until the brokers' ports were tried. Warns, and changes
     * nothing, if the file cannot be understood.
     */
    public void restore(ClusterTopology topology) {
        if (!Files.exists(file)) {
            return;
        }
        Properties known = new Properties();
        List<BrokerEndpoint> brokers = new ArrayList<>();
        try (Reader reader = Files.newBufferedReader(file)) {
            known.load(reader);
            for (String key : known.stringPropertyNames()) {
                if (key.startsWith(BROKER)) {
                    brokers.add(endpoint(key, known.getProperty(key)));
                }
            }
            if (!bootstrapServers.equals(known.getProperty(ProxyKeys.BOOTSTRAP_SERVERS))) {
                throw new IllegalArgumentException("it is not of " + bootstrapServers);
            }
        } catch (IOException | IllegalArgumentException unusable) {
            log.warn("{}={} is ignored: {}", ProxyKeys.BROKERS_FILE, file, unusable.getMessage());
            return;
        }
        var served = topology.learnAll(known.getProperty(CLUSTER_ID), brokers);
        if (served != null) {
            served.join();
        }
    }

    private static BrokerEndpoint endpoint(String key, String address) {
        int colon = address.lastIndexOf(':');
        try {
            int port = Integer.parseInt(address.substring(colon + 1));
            return new BrokerEndpoint(
                    Integer.parseInt(key.substring(BROKER.length())), address.substring(0, colon), port);
        } catch (NumberFormatException | StringIndexOutOfBoundsException malformed) {
            throw new IllegalArgumentException(key + "=" + address + " is not NODE_ID=HOST:PORT", malformed);
        }
    }

    /** Writes these brokers soon, in place of earlier ones. Any thread; does not block. */
    public void keep(String clusterId, List<BrokerEndpoint> brokers) {
        Properties known = new Properties();
        known.setProperty(ProxyKeys.BOOTSTRAP_SERVERS, bootstrapServers);
        if (clusterId != null) {
            known.setProperty(CLUSTER_ID, clusterId);
        }
        brokers.forEach(broker -> known.setProperty(BROKER + broker.nodeId(), broker.host() + ":" + broker.port()));
        if (next.getAndSet(known) == null && !writer.isShutdown()) {
            writer.execute(this::write);
        }
    }

    private void write() {
        Properties known = next.getAndSet(null);
        try {
            Path whole = Files.createTempFile(
                    file.toAbsolutePath().getParent(), file.getFileName().toString(), null);
            try (Writer out = Files.newBufferedWriter(whole)) {
                known.store(out, "Brokers that a Slipstream proxy knew");
            }
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            log.warn("{}={} cannot be written: {}", ProxyKeys.BROKERS_FILE, file, e.toString());
        }
    }

    /** Waits a moment for the last write. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            writer.awaitTermination(CLOSE_WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
