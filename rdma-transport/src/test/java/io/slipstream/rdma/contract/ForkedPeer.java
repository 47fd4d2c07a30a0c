// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM that connects to the test's listener and then plays its role until it is killed. It prints one line per
 * step, for which the test waits.
 */
public final class ForkedPeer implements AutoCloseable {
    public static final int HAMMER_BYTES = 32 * 1024;
    /** For the role that spends nearly all its time inside a copy. */
    public static final int LONG_COPY_BYTES = 64 << 20;
    /** Distinguishes its own lines from its log's. */
    private static final String WORD = "peer: ";

    private final Process process;
    private final BufferedReader lines;

    private ForkedPeer(Process process) {
        this.process = process;
        this.lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static ForkedPeer start(String provider, String role, String address) throws IOException {
        return start(provider, role, address, List.of());
    }

    public static ForkedPeer start(String provider, String role, String address, List<String> jvmArguments)
            throws IOException {
        return start(List.of(), provider, role, address, jvmArguments);
    }

    /**
     * As another user, who may read all files, including Java's own, but has no extra rights to write. Only root can
     * start it.
     */
    public static ForkedPeer startAs(int uid, String provider, String role, String address) throws IOException {
        List<String> become = List.of(
                "/usr/bin/setpriv",
                "--reuid=" + uid,
                "--regid=" + uid,
                "--clear-groups",
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search");
        return start(become, provider, role, address, List.of());
    }

    private static ForkedPeer start(
            List<String> prefix, String provider, String role, String address, List<String> jvmArguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens")
                        || argument.startsWith("-XX:Tiered")
                        || argument.startsWith("-XX:SharedArchiveFile"))
                .forEach(command::add);
        command.addAll(jvmArguments);
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-ea", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(ForkedPeer.class.getName(), provider, role, address));
        return new ForkedPeer(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Returns the next line that it prints; null when it has ended. */
    public String awaitLine() throws IOException {
        String line = lines.readLine();
        while (line != null && !line.startsWith(WORD)) {
            line = lines.readLine();
        }
        return line == null ? null : line.substring(WORD.length());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void kill() {
        process.destroyForcibly();
    }

    /** Stops the process, like a debugger or a swapping host. {@link #resume} continues it. */
    public void pause() throws Exception {
        signal("-STOP");
    }

    public void resume() throws Exception {
        signal("-CONT");
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", name, String.valueOf(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill " + name + " failed");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }

    public static void main(String[] arguments) throws Exception {
        String address = arguments[2];
        try (Peer peer = new Peer(RdmaProvider.named(arguments[0]).orElseThrow().open(DeviceConfig.DEFAULT))) {
            switch (arguments[1]) {
                case "echo" -> echo(peer, address);
                case "hammer" -> hammer(peer, address, peer.local, HAMMER_BYTES);
                case "copier" -> hammer(peer, address, peer.region(LONG_COPY_BYTES), LONG_COPY_BYTES);
                default -> throw new IllegalArgumentException(arguments[1]);
            }
        }
    }

    private static void connect(Peer peer, String address) throws Exception {
        peer.queuePair = peer.device
                .connect(address, peer.config(), ByteBuffer.allocate(0), TimeUnit.SECONDS.toNanos(30))
                .toCompletableFuture()
                .get();
    }

    /** Sends the name of a region, then doubles its first word and answers n + 1 for each immediate n. */
    private static void echo(Peer peer, String address) throws Exception {
        connect(peer, address);
        MemoryRegion region = peer.exported(4096, Access.REMOTE_WRITE, Access.REMOTE_READ);
        peer.postReceives(8);
        peer.tell(region);
        while (true) {
            WorkCompletion received = peer.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
            region.buffer().putLong(0, region.buffer().getLong(0) * 2);
            peer.postReceives(1);
            WorkRequest answer = peer.request(Opcode.WRITE_WITH_IMM, null, 0);
            answer.signaled = false;
            answer.imm = received.imm + 1;
            peer.queuePair.post(answer);
        }
    }

    /**
     * Connects, receives address and key of a region, and writes there at full speed until that fails. Then starts
     * again.
     */
    private static void hammer(Peer peer, String address, MemoryRegion source, int lengthBytes) throws Exception {
        WorkCompletion[] completions = {new WorkCompletion()};
        while (true) {
            connect(peer, address);
            WorkRequest write = peer.hear(Opcode.WRITE, 0);
            write.addSegment(source.lkey(), source.address(), lengthBytes);
            ByteBuffer copied = source.buffer();
            write.signaled = false;
            long round = 1;
            // Successes are unsignaled, so the first completion is a failure.
            while (peer.completions.poll(completions) == 0) {
                if (peer.queuePair.post(write) == PostStatus.POSTED) {
                    copied.putLong(0, round).putLong(lengthBytes - 8, round);
                    round++;
                }
            }
            System.out.println(WORD + completions[0].status);
            peer.queuePair.close();
        }
    }
}
