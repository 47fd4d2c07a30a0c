// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free TCP ports on the loopback address. Another process may take a port before its use, so the caller must be
 * ready to retry with another one. The search stays below Linux's ephemeral range (32768 …), which the kernel uses for
 * outgoing connections; this makes the race rare.
 */
public final class Ports {
    /** Parallel test JVMs each use one part of the range; 0 uses all of it. */
    private static final int PART = Integer.getInteger("slipstream.test.ports", 0);

    private static final int PARTS = 4;
    private static final int PART_PORTS = 5_000;
    private static final int LOWEST = 12_000 + Math.max(0, PART - 1) * PART_PORTS;
    private static final int HIGHEST = LOWEST + (PART == 0 ? PARTS : 1) * PART_PORTS;
    private static final int ATTEMPTS = 1_000;
    /** Recently returned ports, which may not have a listener yet. */
    private static final int REMEMBERED = 256;

    private static final Set<Integer> FOUND = new LinkedHashSet<>();

    private Ports() {}

    public static int free() {
        return freeRange(1);
    }

    /** Returns the first of {@code count} consecutive free ports. */
    public static synchronized int freeRange(int count) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - count);
            if (!wasFound(first, count) && areFree(first, count)) {
                remember(first, count);
                return first;
            }
        }
        throw new IllegalStateException(
                "no " + count + " consecutive free ports between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean wasFound(int first, int count) {
        for (int port = first; port < first + count; port++) {
            if (FOUND.contains(port)) {
                return true;
            }
        }
        return false;
    }

    private static void remember(int first, int count) {
        for (int port = first; port < first + count; port++) {
            FOUND.add(port);
        }
        Iterator<Integer> eldest = FOUND.iterator();
        while (FOUND.size() > REMEMBERED) {
            eldest.next();
            eldest.remove();
        }
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
