package io.slipstream.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ends child processes together with this JVM. A shutdown hook does it on a normal exit; a small shell that reads our pipe does it when this
 * JVM is killed: the kernel closes the pipe, and the shell kills the processes that it was told of and that were not taken back.
 */
public final class OrphanGuard {
    private static final String SCRIPT = "trap '' INT TERM HUP; pids=' '; "
            + "while read -r op pid; do case $op in "
            + "+) pids=\"$pids$pid \";; "
            + "-) case $pids in *\" $pid \"*) pids=\"${pids%% $pid *} ${pids#* $pid }\";; esac;; "
            + "esac; done; for pid in $pids; do kill -9 \"$pid\" 2>/dev/null; done";
    private static final OrphanGuard INSTANCE = new OrphanGuard();

    private final Set<Process> children = ConcurrentHashMap.newKeySet();
    private final Queue<Runnable> orderlyStops = new ConcurrentLinkedQueue<>();
    private final OutputStream pipe;

    private OrphanGuard() {
        try {
            pipe = new ProcessBuilder("sh", "-c", SCRIPT)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the shell that guards child processes", e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::endAll, "orphan-guard"));
    }

    public static OrphanGuard instance() {
        return INSTANCE;
    }

    void add(Process child) {
        children.add(child);
        tell('+', child);
        child.onExit().thenAccept(this::remove);
    }

    private void remove(Process child) {
        children.remove(child);
        tell('-', child);
    }

    /** Runs {@code stop} when this JVM shuts down, before what is left of the children is killed. */
    public void stopFirst(Runnable stop) {
        orderlyStops.add(stop);
    }

    private void endAll() {
        try {
            orderlyStops.forEach(Runnable::run);
        } finally {
            children.forEach(Process::destroyForcibly);
        }
    }

    private synchronized void tell(char operation, Process child) {
        try {
            pipe.write((operation + " " + child.pid() + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            // The shell is gone; the shutdown hook remains.
        }
    }
}
