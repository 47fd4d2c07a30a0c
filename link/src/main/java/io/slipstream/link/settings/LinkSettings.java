// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Settings of link set-up and use, already validated. Ring sizes are powers of two.
 *
 * @param transport the RDMA provider and its use
 * @param directory directory of the plugins' sockets
 * @param controlPorts TCP ports of the plugins
 * @param replyRingBytes reply ring of one link; the largest reply must fit
 * @param credits largest number of written requests of one link that the broker has not handled
 * @param waitingRequests largest number of requests of one link that wait for credit or ring space
 * @param ringWaitNs longest wait for credit or ring space before a request is returned
 * @param controlTimeoutNs deadline of every step on the control channel
 * @param retryMinNs first pause after a link failed; doubles up to {@code retryMaxNs}
 * @param retryMaxNs longest pause
 * @param absenceNs how long the absence of a plugin is remembered
 * @param idleNs how long a link without sessions stays up
 */
public record LinkSettings(
        TransportSettings transport,
        Path directory,
        ControlPorts controlPorts,
        int replyRingBytes,
        int credits,
        int waitingRequests,
        long ringWaitNs,
        long controlTimeoutNs,
        long retryMinNs,
        long retryMaxNs,
        long absenceNs,
        long idleNs) {
    private static final long MS = 1_000_000L;

    public LinkSettings {
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(controlPorts, "controlPorts");
        Objects.requireNonNull(directory, "directory");
        if (Integer.bitCount(replyRingBytes) != 1 || replyRingBytes < 4096) {
            throw new IllegalArgumentException("reply ring must be a power of two of at least 4096: " + replyRingBytes);
        }
        if (credits < 1 || waitingRequests < 1) {
            throw new IllegalArgumentException("limits of a link must be positive");
        }
    }

    /** Settings with default bounds and times. */
    public static LinkSettings of(
            TransportSettings transport, Path directory, ControlPorts controlPorts, long controlTimeoutNs) {
        return new LinkSettings(
                transport,
                directory,
                controlPorts,
                1 << 22,
                128,
                1024,
                controlTimeoutNs / 10,
                controlTimeoutNs,
                100 * MS,
                10_000 * MS,
                1_000 * MS,
                300_000 * MS);
    }
}
