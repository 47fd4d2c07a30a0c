package io.slipstream.proxy.fastpath;

import java.nio.file.Path;
import java.util.Objects;

/**
 * How the fast path behaves; validated where the configuration is read. Sizes of rings are powers of two.
 *
 * @param enabled the initial position of the run-time switch
 * @param transport the RDMA provider and its use
 * @param directory where plugins put their sockets
 * @param controlPorts where plugins listen over TCP
 * @param replyRingBytes reply ring of one link; the largest reply must fit
 * @param credits most requests of one link in the broker's hands
 * @param waitingRequests most requests of one link that wait for credit or ring space
 * @param ringWaitNs longest wait for credit or ring space before a request takes TCP
 * @param linkWaitNs longest wait of a request for the link, which takes long right after a start
 * @param bindWaitNs longest wait of a request for the link and the session
 * @param locateWaitNs longest wait of a fetch for the plugin to find its offsets
 * @param controlTimeoutNs deadline of every step on the control channel
 * @param retryMinNs first pause after a link failed; doubles up to {@code retryMaxNs}
 * @param retryMaxNs longest pause
 * @param absenceNs how long the absence of a plugin is remembered
 * @param readBufferBytes most bytes that one event loop has in buffers of unanswered fetches
 * @param partitionsPerFetch largest fetch that is served
 * @param fetchSessionsPerLoop most fetch sessions that an event loop keeps
 */
public record FastPathSettings(
        boolean enabled,
        TransportSettings transport,
        Path directory,
        ControlPorts controlPorts,
        int replyRingBytes,
        int credits,
        int waitingRequests,
        long ringWaitNs,
        long linkWaitNs,
        long bindWaitNs,
        long locateWaitNs,
        long controlTimeoutNs,
        long retryMinNs,
        long retryMaxNs,
        long absenceNs,
        long readBufferBytes,
        int partitionsPerFetch,
        int fetchSessionsPerLoop) {
    private static final long MS = 1_000_000L;

    public FastPathSettings {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(controlPorts, "controlPorts");
        Objects.requireNonNull(directory, "directory");
        if (Integer.bitCount(replyRingBytes) != 1 || replyRingBytes < 4096) {
            throw new IllegalArgumentException("reply ring must be a power of two of at least 4096: " + replyRingBytes);
        }
        if (credits < 1
                || waitingRequests < 1
                || partitionsPerFetch < 1
                || fetchSessionsPerLoop < 0
                || readBufferBytes < 1) {
            throw new IllegalArgumentException("bounds of the fast path must be positive");
        }
    }

    /** Bounds and times that are right unless something else was measured; clients wait for a part of what the plugin is given. */
    public static FastPathSettings of(
            boolean enabled,
            TransportSettings transport,
            Path directory,
            ControlPorts controlPorts,
            long controlTimeoutNs) {
        return new FastPathSettings(
                enabled,
                transport,
                directory,
                controlPorts,
                1 << 22,
                128,
                1024,
                controlTimeoutNs / 10,
                controlTimeoutNs / 20,
                controlTimeoutNs / 5,
                controlTimeoutNs / 10,
                controlTimeoutNs,
                100 * MS,
                10_000 * MS,
                1_000 * MS,
                128L << 20,
                1024,
                4096);
    }
}
