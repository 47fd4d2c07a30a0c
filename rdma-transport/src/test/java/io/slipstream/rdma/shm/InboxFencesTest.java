// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Native;
import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.completion.TwoThreads;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both sides of one inbox at the same time: each writes one word and reads the other's. */
@Timeout(60)
class InboxFencesTest {
    private static final int EXPORT = 0;

    private OwnInbox own;
    private PeerInbox peer;
    private boolean granted;
    private boolean outside;
    private boolean found;
    private boolean woken;

    @BeforeEach
    void open() throws IOException {
        own = new OwnInbox(64, LocalPeers.OWN);
        peer = new PeerInbox(own.memory(), own.ringRecords(), Native.newEventFd());
    }

    @AfterEach
    void close() {
        peer.free();
    }

    /** The owner frees a region at once if the peer is outside of it. */
    @Test
    void shouldNotFindThePeerOutsideOfARegionThatItUses() throws Exception {
        ExportTable exports = new ExportTable(own);
        TwoThreads.race(
                () -> {
                    peer.enter();
                    granted = !peer.isRevoked(EXPORT);
                },
                () -> outside = exports.hasPeerMovedOn(exports.revoke(EXPORT)),
                () -> {
                    assertThat(granted && outside).as("freed while in use").isFalse();
                    peer.leave();
                    own.setRevoked(EXPORT, false);
                });
    }

    /** A peer that finds no receive sleeps, and the owner that posts one wakes it. */
    @Test
    void shouldWakeThePeerThatMissedAReceive() throws Exception {
        TwoThreads.race(() -> found = peer.isReadyFor(0), () -> woken = own.postReceive(0), () -> {
            assertThat(found || woken).as("the peer goes on").isTrue();
            assertThat(peer.isReadyFor(0)).isTrue();
            peer.push(InboxLayout.OPCODE_SEND, 0, 0, 0);
            own.recordConsumed();
        });
    }

    /** An owner that finds no record sleeps, and the peer that publishes one wakes it. */
    @Test
    void shouldWakeTheOwnerThatMissedARecord() throws Exception {
        own.postReceive(0);
        own.lowerWaiting();
        TwoThreads.race(
                () -> {
                    own.raiseWaiting();
                    // As the completion queue does, once for all its inboxes.
                    VarHandle.fullFence();
                    found = own.nextRecord() != 0;
                },
                () -> woken = peer.push(InboxLayout.OPCODE_SEND, 0, 0, 0),
                () -> {
                    assertThat(found || woken).as("the owner goes on").isTrue();
                    own.lowerWaiting();
                    own.recordConsumed();
                    own.postReceive(0);
                    assertThat(peer.isReadyFor(0)).isTrue();
                });
    }
}
