package io.slipstream.faults;

/** SIGSTOP and SIGCONT to a process, by its id. */
final class Signals {
    private Signals() {}

    static void stop(long pid) {
        Command.require("kill", "-STOP", Long.toString(pid));
    }

    /** A process that was killed meanwhile needs no waking. */
    static void resume(long pid) {
        if (ProcessHandle.of(pid).isPresent()) {
            Command.run("kill", "-CONT", Long.toString(pid));
        }
    }
}
