// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** Sends signals to a process by its id. */
public final class Signals {
    private Signals() {}

    public static void stop(long pid) {
        Command.require("kill", "-STOP", Long.toString(pid));
    }

    /** Makes a proxy switch RDMA off or on. */
    public static void usr1(long pid) {
        Command.require("kill", "-USR1", Long.toString(pid));
    }

    /** Makes a proxy read its configuration again. */
    public static void hup(long pid) {
        Command.require("kill", "-HUP", Long.toString(pid));
    }

    /** Ignores a process that was killed meanwhile. */
    public static void resume(long pid) {
        if (ProcessHandle.of(pid).isPresent()) {
            Command.run("kill", "-CONT", Long.toString(pid));
        }
    }
}
