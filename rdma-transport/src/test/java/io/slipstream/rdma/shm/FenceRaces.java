// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.Native;
import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.provider.OwnerActivity;
import io.slipstream.rdma.provider.TwoThreads;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Two threads, each of which writes one word and reads the other's. At least one must see the other's write. Prints
 * each race that was run; throws an AssertionError otherwise.
 */
final class FenceRaces {
    private static final int EXPORT = 0;

    private final OwnInbox own = new OwnInbox(64, LocalPeers.OWN);
    private final PeerInbox peer = new PeerInbox(own.memory, own.ringRecords, Native.newEventFd());
    private boolean one;
    private boolean other;

    private FenceRaces() throws IOException {}

    public static void main(String[] arguments) throws Exception {
        Epoll.ensureAvailability();
        new FenceRaces().ownerAgainstFree();
        System.out.println("an owner of a completion queue against the thread that frees what it uses");
        new FenceRaces().peerAgainstRevocation();
        System.out.println("a peer against the owner that revokes");
        new FenceRaces().peerAgainstReceive();
        System.out.println("a peer that finds no receive against the owner that posts one");
        new FenceRaces().ownerAgainstRecord();
        System.out.println("an owner that finds no record against the peer that publishes one");
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }

    /** The owner looks an object up while another thread unlinks it and would free it if the owner is outside. */
    private void ownerAgainstFree() throws Exception {
        OwnerActivity activity = new OwnerActivity();
        AtomicBoolean linked = new AtomicBoolean(true);
        TwoThreads.race(
                () -> {
                    activity.enter();
                    one = linked.getOpaque();
                },
                () -> {
                    linked.setOpaque(false);
                    other = activity.mark().isPast();
                },
                () -> {
                    check(!(one && other), "an object was freed while its owner used it");
                    activity.leave();
                    linked.set(true);
                });
    }

    /** The owner of a region would free it at once if the peer is outside of it. */
    private void peerAgainstRevocation() throws Exception {
        ExportTable exports = new ExportTable(own);
        TwoThreads.race(
                () -> {
                    peer.enter();
                    one = !peer.isRevoked(EXPORT);
                },
                () -> other = exports.hasPeerMovedOn(exports.revoke(EXPORT)),
                () -> {
                    check(!(one && other), "a region was freed while the peer used it");
                    peer.leave();
                    own.setRevoked(EXPORT, false);
                });
    }

    /** A peer that finds no receive sleeps, and the owner that posts one wakes it. */
    private void peerAgainstReceive() throws Exception {
        TwoThreads.race(() -> one = peer.isReady(), () -> other = own.postReceive(), () -> {
            check(one || other, "the peer sleeps beside a receive");
            check(peer.isReady(), "no receive");
            peer.push(0, 0);
            own.consumedRecords++;
        });
    }

    /** An owner that finds no record sleeps, and the peer that publishes one wakes it. */
    private void ownerAgainstRecord() throws Exception {
        own.postReceive();
        own.lowerWaiting();
        TwoThreads.race(
                () -> {
                    own.raiseWaiting();
                    // As the completion queue does, once for all its inboxes.
                    VarHandle.fullFence();
                    one = own.nextRecord() != 0;
                },
                () -> other = peer.push(0, 0),
                () -> {
                    check(one || other, "the owner sleeps beside a record");
                    own.lowerWaiting();
                    own.consumedRecords++;
                    own.postReceive();
                    check(peer.isReady(), "no receive");
                });
    }
}
