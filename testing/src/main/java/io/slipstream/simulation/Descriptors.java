// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.ArrayList;
import java.util.List;

/** Event descriptors of the simulated completion queues: small numbers, readable or not, each with one waiter. */
public final class Descriptors {
    private static final Runnable NOBODY = () -> {};
    private static final List<Runnable> WATCHERS = new ArrayList<>();
    private static final List<Boolean> READABLE = new ArrayList<>();

    private Descriptors() {}

    /** Removes the descriptors of earlier worlds. */
    static void clear() {
        WATCHERS.clear();
        READABLE.clear();
    }

    public static int open() {
        WATCHERS.add(NOBODY);
        READABLE.add(false);
        return WATCHERS.size() - 1;
    }

    static void watch(int fd, Runnable onReadable) {
        WATCHERS.set(fd, onReadable);
    }

    static void forget(int fd) {
        WATCHERS.set(fd, NOBODY);
    }

    static boolean isReadable(int fd) {
        return READABLE.get(fd);
    }

    public static void signal(int fd) {
        READABLE.set(fd, true);
        WATCHERS.get(fd).run();
    }

    public static void acknowledge(int fd) {
        READABLE.set(fd, false);
    }
}
