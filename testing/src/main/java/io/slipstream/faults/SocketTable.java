// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel's table of TCP connections on loopback. {@code ss -K} ends some of them, which resets both ends. */
public final class SocketTable {
    private static final Pattern CONNECTION =
            Pattern.compile("127\\.0\\.0\\.1\\]?:(\\d+)\\s+\\S*127\\.0\\.0\\.1\\]?:(\\d+).*pid=(\\d+)");

    private SocketTable() {}

    /** An established connection from the view of its initiator. */
    public record Connection(int localPort, int remotePort, long pid) {}

    /** Returns the connections of the process to any of these ports. */
    public static List<Connection> opened(long pid, List<Integer> ports) {
        return to(ports).stream().filter(connection -> connection.pid == pid).toList();
    }

    /** Returns the connections to any of these ports. Skips those without a visible owner. */
    static List<Connection> to(List<Integer> ports) {
        List<String> words = new ArrayList<>(List.of("ss", "-tnpH", "state", "established", "("));
        for (int i = 0; i < ports.size(); i++) {
            words.addAll(i == 0 ? List.of() : List.of("or"));
            words.addAll(List.of("dport", "=", ":" + ports.get(i)));
        }
        words.add(")");
        return parse(Command.require(words.toArray(String[]::new)));
    }

    static List<Connection> parse(String table) {
        List<Connection> found = new ArrayList<>();
        for (String line : table.lines().toList()) {
            Matcher matcher = CONNECTION.matcher(line);
            if (matcher.find()) {
                found.add(new Connection(
                        Integer.parseInt(matcher.group(1)),
                        Integer.parseInt(matcher.group(2)),
                        Long.parseLong(matcher.group(3))));
            }
        }
        return found;
    }

    /** Resets the connections that still exist. */
    public static void reset(List<Connection> connections) {
        if (connections.isEmpty()) {
            return;
        }
        List<String> words = new ArrayList<>(List.of("ss", "-K", "-tnH", "("));
        for (int i = 0; i < connections.size(); i++) {
            Connection connection = connections.get(i);
            words.addAll(i == 0 ? List.of() : List.of("or"));
            words.addAll(List.of("(", "sport", "=", ":" + connection.localPort, "and"));
            words.addAll(List.of("dport", "=", ":" + connection.remotePort, ")"));
        }
        words.add(")");
        Command.require(words.toArray(String[]::new));
    }

    /** Tries a reset on our own connection. Returns why it is impossible; empty if it works. */
    public static Optional<String> obstacle() {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            reset(List.of(new Connection(client.getLocalPort(), client.getPort(), 0)));
            accepted.setSoTimeout(2_000);
            try {
                accepted.getInputStream().read();
                return Optional.of("ss -K closes connections instead of resetting them");
            } catch (SocketTimeoutException alive) {
                return Optional.of("ss -K has no effect; it needs CAP_NET_ADMIN and INET_DIAG_DESTROY");
            } catch (IOException reset) {
                return Optional.empty();
            }
        } catch (IOException | FaultFailure e) {
            return Optional.of("ss -K does not work: " + e.getMessage());
        }
    }
}
