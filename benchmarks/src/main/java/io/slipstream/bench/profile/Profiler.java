// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * async-profiler in other JVMs of this host, loaded through the attach API from the library in its artifact. It samples
 * running threads. Stacks include kernel frames if {@code perf_event_open} is permitted; otherwise a timer is used,
 * without kernel frames. Not safe for concurrent use.
 */
public final class Profiler implements AutoCloseable {
    /**
     * CPU time of a thread between two samples. With less than a kernel tick (4 ms), the kernel sets a timer in each
     * thread switch, which costs microseconds in a virtual machine: the proxy's 14 to 20 µs per fetch became 18 with 5
     * ms, 24 with 2 ms and 26 with 0.5 ms.
     */
    public static final long INTERVAL_NS = 5_000_000;
    /** Keeps debug information between safepoints in compiled code. Costs only compiler memory. */
    public static final List<String> JVM_ARGUMENTS =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints");

    private static final List<String> EVENTS = List.of("cpu", "ctimer", "itimer");
    private static final Map<String, String> LIBRARIES =
            Map.of("amd64", "/linux-x64/libasyncProfiler.so", "aarch64", "/linux-arm64/libasyncProfiler.so");
    private static final int STACK_DEPTH = 512;
    private static final long TIMEOUT_S = 60;

    private final Path directory;
    private final Path library;
    private final Path complaints;
    /** Index in {@link #EVENTS} of the last accepted event. */
    private int event;

    private Profiler(Path directory) {
        this.directory = directory;
        library = directory.resolve("libasyncProfiler.so");
        complaints = directory.resolve("complaints");
    }

    /** @throws IOException without a library for this machine, or without a writable place */
    public static Profiler unpack() throws IOException {
        String resource = LIBRARIES.get(System.getProperty("os.arch"));
        if (resource == null) {
            throw new IOException("async-profiler has no library for " + System.getProperty("os.arch"));
        }
        Profiler profiler = new Profiler(Files.createTempDirectory("slipstream-profiler"));
        try (InputStream content = Profiler.class.getResourceAsStream(resource)) {
            if (content == null) {
                throw new IOException("async-profiler's artifact lacks " + resource);
            }
            Files.copy(content, profiler.library);
            return profiler;
        } catch (IOException e) {
            profiler.close();
            throw e;
        }
    }

    /** Returns the current sampling event. */
    public String event() {
        return EVENTS.get(event);
    }

    /**
     * Starts to sample the process.
     *
     * @throws IOException with the reason if attaching fails or the library refuses
     */
    public Recording start(long pid) throws IOException {
        for (int tried = event; ; tried++) {
            try {
                tell(
                        pid,
                        "start,event=" + EVENTS.get(tried) + ",interval=" + INTERVAL_NS + ",threads,jstackdepth="
                                + STACK_DEPTH);
                event = tried;
                return new Recording(pid);
            } catch (RefusedException e) {
                if (tried + 1 == EVENTS.size()) {
                    throw e;
                }
            }
        }
    }

    /** One process between start and stop. */
    public final class Recording implements AutoCloseable {
        private final long pid;
        private boolean stopped;

        private Recording(long pid) {
            this.pid = pid;
        }

        /**
         * Ends the recording and writes a flame graph and collapsed stacks to these absolute paths. The profiled
         * process writes them.
         */
        public void write(Path flameGraph, Path collapsed, String title) throws IOException {
            stopped = true;
            // A comma would end the title.
            tell(pid, "stop,flamegraph,threads,title=" + title.replace(',', ';') + ",file=" + flameGraph);
            tell(pid, "dump,collapsed,threads,file=" + collapsed);
        }

        /** Ends the recording unless it was written. */
        @Override
        public void close() throws IOException {
            if (!stopped) {
                stopped = true;
                tell(pid, "stop");
            }
        }
    }

    /** The library is loaded but refuses the command. */
    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String reason, Throwable cause) {
            super(reason, cause);
        }
    }

    /** Attaching has no deadline once the process has answered, so a thread does it that may be abandoned. */
    private void tell(long pid, String command) throws IOException {
        FutureTask<Void> task = new FutureTask<>(() -> {
            attached(pid, command);
            return null;
        });
        Thread thread = new Thread(task, "slipstream-attach");
        thread.setDaemon(true);
        thread.start();
        try {
            task.get(TIMEOUT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException refused) {
                throw refused;
            }
            throw new IOException("cannot profile process " + pid + ": " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("process " + pid + " did not answer the profiler for " + TIMEOUT_S + " s", e);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while process " + pid + " was profiled");
        }
    }

    private void attached(long pid, String command) throws IOException {
        Files.deleteIfExists(complaints);
        VirtualMachine machine;
        try {
            machine = VirtualMachine.attach(Long.toString(pid));
        } catch (AttachNotSupportedException | IOException e) {
            throw new IOException("cannot attach to process " + pid + ": " + e.getMessage(), e);
        }
        try {
            machine.loadAgentPath(library.toString(), command + ",log=" + complaints);
        } catch (AgentLoadException | AgentInitializationException e) {
            throw new RefusedException("process " + pid + " cannot be profiled: " + reason(e), e);
        } finally {
            machine.detach();
        }
    }

    private String reason(Exception e) throws IOException {
        return Files.exists(complaints)
                ? Files.readAllLines(complaints).stream().map(String::strip).collect(Collectors.joining("; "))
                : e.getMessage();
    }

    /** Deletes the library file; processes that have loaded it keep it. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(complaints);
        Files.deleteIfExists(library);
        Files.deleteIfExists(directory);
    }
}
