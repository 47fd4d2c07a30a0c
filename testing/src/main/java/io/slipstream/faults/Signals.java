// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** Signals to a process, by its id. */
public final class Signals {
    private Signals() {}

    public static void stop(long pid) {
        Command.require("kill", "-STOP", Long.toString(pid));
    }

    /** Has a proxy switch RDMA off, or on again. */
    public static void usr1(long pid) {
        Command.require("kill", "-USR1", Long.toString(pid));
    }

    /** A process that was killed meanwhile needs no waking. */
    public static void resume(long pid) {
        if (ProcessHandle.of(pid).isPresent()) {
            Command.run("kill", "-CONT", Long.toString(pid));
        }
    }
}
