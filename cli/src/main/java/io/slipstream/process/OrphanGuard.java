// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Ends child processes with this JVM and removes their mounts and temporary directories. On a normal exit a shutdown
 * hook does this. If this JVM is killed, the kernel closes a pipe to a small shell, which then removes everything
 * registered and not withdrawn.
 */
public final class OrphanGuard {
    private static final String SCRIPT = "trap '' INT TERM HUP; pids=' '; dirs=' '; mounts=' '; "
            + "while read -r op what; do case $op in "
            + "+p) pids=\"$pids$what \";; "
            + "-p) case $pids in *\" $what \"*) pids=\"${pids%% $what *} ${pids#* $what }\";; esac;; "
            + "+d) dirs=\"$dirs$what \";; "
            + "-d) case $dirs in *\" $what \"*) dirs=\"${dirs%% $what *} ${dirs#* $what }\";; esac;; "
            + "+m) mounts=\"$mounts$what \";; "
            + "-m) case $mounts in *\" $what \"*) mounts=\"${mounts%% $what *} ${mounts#* $what }\";; esac;; "
            + "esac; done; for pid in $pids; do kill -9 \"$pid\" 2>/dev/null; done; "
            + "for mount in $mounts; do umount -l \"$mount\" 2>/dev/null; done; "
            + "for dir in $dirs; do rm -rf -- \"$dir\"; done";
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
        tell("+p " + child.pid());
        child.onExit().thenAccept(this::remove);
    }

    private void remove(Process child) {
        children.remove(child);
        tell("-p " + child.pid());
    }

    /** Runs {@code stop} at JVM shutdown, before the remaining children are killed. */
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

    /** Registers a directory for deletion after the processes have ended. */
    void add(Path directory) {
        if (isOneWord(directory)) {
            tell("+d " + directory);
        }
    }

    void remove(Path directory) {
        if (isOneWord(directory)) {
            tell("-d " + directory);
        }
    }

    /** Registers a mount point, which is unmounted before directories are deleted. */
    public void addMount(Path mountPoint) {
        if (isOneWord(mountPoint)) {
            tell("+m " + mountPoint);
        }
    }

    public void removeMount(Path mountPoint) {
        if (isOneWord(mountPoint)) {
            tell("-m " + mountPoint);
        }
    }

    /** The shell splits at white space, so other paths are not registered. */
    private static boolean isOneWord(Path path) {
        return path.toString().chars().allMatch(c -> Character.isLetterOrDigit(c) || "/._-".indexOf(c) >= 0);
    }

    private synchronized void tell(String line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            // The shell is gone; the shutdown hook remains.
        }
    }
}
