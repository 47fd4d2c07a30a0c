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
 * async-profiler in other JVMs of this host, loaded through the attach API from the library that its artifact carries. It samples what runs on a
 * processor, thread by thread, with the kernel's part of the stacks where {@code perf_event_open} is allowed, else by a timer and without it.
 * Not thread-safe.
 */
public final class Profiler implements AutoCloseable {
    /**
     * Processor time of a thread between two samples. Shorter than a tick of the kernel's (4 ms) it has the kernel set a timer in each switch of threads, which
     * in a virtual machine costs microseconds: the 14 to 20 µs of the proxy for a fetch became 18 with 5 ms, 24 with 2 ms and 26 with 0.5 ms.
     */
    public static final long INTERVAL_NS = 5_000_000;
    /** So that compiled code says where it is between safepoints too. Costs no time, memory of the compiler only. */
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
    /** Of {@link #EVENTS}: the one that was last accepted. */
    private int event;

    private Profiler(Path directory) {
        this.directory = directory;
        library = directory.resolve("libasyncProfiler.so");
        complaints = directory.resolve("complaints");
    }

    /** Throws IOException if there is no library for this machine, or no place for it. */
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

    /** What samples are taken by, so far. */
    public String event() {
        return EVENTS.get(event);
    }

    /** Begins to sample that process. Throws IOException, which says why, if it cannot be attached to or refuses. */
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

        /** Ends it, with a flame graph and collapsed stacks in these files, absolute paths. The process itself writes them. */
        public void write(Path flameGraph, Path collapsed, String title) throws IOException {
            stopped = true;
            // A comma would end the title, and so the command.
            tell(pid, "stop,flamegraph,threads,title=" + title.replace(',', ';') + ",file=" + flameGraph);
            tell(pid, "dump,collapsed,threads,file=" + collapsed);
        }

        /** Ends it, if it was not written. */
        @Override
        public void close() throws IOException {
            if (!stopped) {
                stopped = true;
                tell(pid, "stop");
            }
        }
    }

    /** The process has the library, which does not do as it is told. */
    private static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String reason, Throwable cause) {
            super(reason, cause);
        }
    }

    /** Attaching waits for the process without a deadline of its own once it has answered, so a thread that may be left behind does it. */
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

    /** Takes the library's file away; processes that have it loaded keep it. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(complaints);
        Files.deleteIfExists(library);
        Files.deleteIfExists(directory);
    }
}
