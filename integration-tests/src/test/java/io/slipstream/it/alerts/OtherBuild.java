// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fake metrics page of a proxy and a plugin of another version, on a host whose RDMA device fails. A checkout has
 * only one version, and shared memory has only flush errors of broken queue pairs.
 */
final class OtherBuild implements AutoCloseable {
    private static final String PAGE = "slipstream_build_info{version=\"0.0.1\",revision=\"other\"} 1\n"
            + "slipstream_transport_errors_total{status=\"retry_exc_err\"} %1$d\n"
            + "slipstream_fences_total{outcome=\"abandoned\"} %1$d\n"
            + "slipstream_plugin_replication_fallbacks_total{reason=\"link_lost\"} %1$d\n";

    private final AtomicInteger errors = new AtomicInteger();
    private final HttpServer server;

    OtherBuild() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/metrics", exchange -> {
            byte[] page = PAGE.formatted(errors.getAndIncrement()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
    }

    String target() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
