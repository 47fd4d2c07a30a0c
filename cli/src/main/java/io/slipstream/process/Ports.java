// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free TCP ports on the loopback address. The search stays out of the kernel's ephemeral range, so no outgoing
 * connection takes a port between its choice and its use, or while its owner restarts. {@link PortLocks} keeps other
 * JVMs of this user from choosing the same port.
 */
public final class Ports {
    private static final int LOWEST = 12_000;
    /** Exclusive. Ports above are for long-lived services of the machine and for ephemeral ranges. */
    private static final int HIGHEST = 32_000;

    private static final int ATTEMPTS = 2_000;
    private static final EphemeralRange EPHEMERAL = EphemeralRange.ofKernel();
    private static final PortLocks LOCKS = PortLocks.ofUser();

    private Ports() {}

    public static int free() {
        return freeRange(1);
    }

    /** Returns the first of {@code count} consecutive free ports. */
    public static synchronized int freeRange(int count) {
        return freeRange(count, EPHEMERAL, LOCKS);
    }

    static int freeRange(int count, EphemeralRange ephemeral, PortLocks locks) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - count + 1);
            if (!ephemeral.touches(first, count) && locks.take(first, count)) {
                if (areFree(first, count)) {
                    return first;
                }
                locks.release(first, count);
            }
        }
        throw new IllegalStateException("no " + count + " consecutive free ports between " + LOWEST + " and " + HIGHEST
                + " outside the kernel's ephemeral range " + ephemeral);
    }

    public static boolean isFree(int port) {
        return areFree(port, 1);
    }

    private static boolean areFree(int first, int count) {
        List<ServerSocket> held = new ArrayList<>(count);
        try {
            for (int port = first; port < first + count; port++) {
                ServerSocket socket = new ServerSocket();
                held.add(socket);
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            }
            return true;
        } catch (IOException taken) {
            return false;
        } finally {
            held.forEach(Ports::close);
        }
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
