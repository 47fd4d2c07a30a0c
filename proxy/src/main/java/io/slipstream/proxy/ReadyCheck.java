// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The health check of containers: requests {@code /readyz} of the proxy and exits with status 0 if the proxy is ready,
 * else with 1. It is a program of its own in the proxy's jar because images may have neither shell nor curl. It uses
 * only sockets, so that it starts in a tenth of a second.
 */
public final class ReadyCheck {
    private static final int DEADLINE_MS = 4_000;
    private static final String DEFAULT_PORT = "9091";
    private static final int MOST_BYTES = 4096;

    private ReadyCheck() {}

    /** @param arguments host and port of the management server; without arguments, those of the proxy's environment */
    public static void main(String[] arguments) {
        String host = arguments.length > 0 ? arguments[0] : System.getenv().get("SLIPSTREAM_MANAGEMENT_HOST");
        String port = arguments.length > 1
                ? arguments[1]
                : System.getenv().getOrDefault("SLIPSTREAM_MANAGEMENT_PORT", DEFAULT_PORT);
        String answer = ask(address(host, port));
        System.out.println(answer);
        System.exit(isReady(answer) ? 0 : 1);
    }

    /** Address of a server that is bound to {@code host}: loopback if it is bound to all addresses. */
    static InetSocketAddress address(String host, String port) {
        // The empty name stands for loopback.
        InetSocketAddress bound = new InetSocketAddress(host == null ? "" : host, Integer.parseInt(port));
        return !bound.isUnresolved() && bound.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), bound.getPort())
                : bound;
    }

    /** @return the response with its status line, or the reason why there is none */
    static String ask(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, DEADLINE_MS);
            socket.setSoTimeout(DEADLINE_MS);
            socket.getOutputStream()
                    .write("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return address + ": " + e.getMessage();
        }
    }

    static boolean isReady(String answer) {
        return answer.startsWith("HTTP/1.1 200 ");
    }
}
