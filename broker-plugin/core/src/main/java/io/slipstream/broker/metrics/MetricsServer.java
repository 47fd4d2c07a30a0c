// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.slipstream.broker.config.HostPort;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The HTTP port for Prometheus, by the JDK's own server. It has threads of its own, one for each open request, so that
 * its clients cannot slow down other parts of the broker or each other.
 */
public final class MetricsServer implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 16;
    private static final int THREAD_IDLE_SECONDS = 10;
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    /**
     * Bounds of the JDK's servers in this process: connections, and seconds for a request, its answer and silence. They
     * are read once, by the first server. Values that are set already stay.
     */
    private static final Map<String, String> BOUNDS = Map.of(
            "jdk.httpserver.maxConnections", Integer.toString(MOST_CONNECTIONS),
            "sun.net.httpserver.maxReqTime", "10",
            "sun.net.httpserver.maxRspTime", "10",
            "sun.net.httpserver.idleInterval", "10");

    private final HttpServer server;
    private final ExecutorService threads = new ThreadPoolExecutor(
            0, MOST_CONNECTIONS + 1, THREAD_IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "slipstream-metrics");
                thread.setDaemon(true);
                return thread;
            });

    private MetricsServer(HttpServer server, Supplier<String> page) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, page));
        // The server's own thread is a daemon because the thread that starts it is one.
        CompletableFuture.runAsync(server::start, threads).join();
    }

    /** Binds the port. Throws IOException, which names the address, if that fails. */
    public static MetricsServer start(HostPort address, Supplier<String> page) throws IOException {
        BOUNDS.forEach(System.getProperties()::putIfAbsent);
        InetSocketAddress wanted = new InetSocketAddress(address.host(), address.port());
        if (wanted.isUnresolved()) {
            throw new IOException("cannot listen on " + address + ": unknown host");
        }
        try {
            return new MetricsServer(HttpServer.create(wanted, 0), page);
        } catch (IOException e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    private static void answer(HttpExchange exchange, Supplier<String> page) throws IOException {
        if (!"/metrics".equals(exchange.getRequestURI().getPath())) {
            exchange.sendResponseHeaders(404, -1);
        } else if (!exchange.getRequestMethod().equals("GET")) {
            exchange.sendResponseHeaders(405, -1);
        } else {
            byte[] body = page.get().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", PROMETHEUS);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream content = exchange.getResponseBody()) {
                content.write(body);
            }
        }
    }

    /** Returns the bound address. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** Closes the port and all connections at once. Idempotent. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
