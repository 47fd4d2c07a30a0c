// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The connection thread's side of a queue pair. It exports and imports regions, notices the end of the peer, and frees
 * the owner thread's resources after that thread has left them.
 *
 * <pre>
 *  ended ─▶ tell listener, peer and completion queue ─▶ owner quiet ─▶ unmap the peer's memory ─▶ half-close
 *  half-closed and peer gone ─▶ sockets closed;   close(), owner quiet and peer gone ─▶ own inbox unmapped
 * </pre>
 */
final class QueuePairControl implements ShmLink.Listener {
    final ShmQueuePair queuePair;
    private final ShmDevice device;
    private final ShmLink link;
    private final PeerInbox peerInbox;
    private final KeyTable<RemoteRegion> remoteRegions;
    final ExportTable exports;
    private final Map<Integer, CompletableFuture<Void>> unansweredExports = new HashMap<>();
    private final Map<ShmMemoryRegion, CompletableFuture<Void>> granted = new HashMap<>();

    private boolean letGo;
    private boolean ownerDone;
    private boolean abandoned;
    private boolean inboxFreed;

    QueuePairControl(
            ShmQueuePair queuePair,
            ShmDevice device,
            ShmLink link,
            PeerInbox peerInbox,
            KeyTable<RemoteRegion> remoteRegions) {
        this.queuePair = queuePair;
        this.device = device;
        this.link = link;
        this.peerInbox = peerInbox;
        this.remoteRegions = remoteRegions;
        this.exports = new ExportTable(queuePair.inbox);
    }

    /** Any thread. */
    void export(ShmMemoryRegion region, CompletableFuture<Void> exported) {
        if (!device.execute(() -> sendExport(region, exported))) {
            exported.completeExceptionally(new IOException("device is closed"));
        }
    }

    private void sendExport(ShmMemoryRegion region, CompletableFuture<Void> exported) {
        if (!queuePair.isConnected()) {
            exported.completeExceptionally(new IOException("not connected: " + queuePair.errorReason()));
            return;
        }
        CompletableFuture<Void> earlier = granted.get(region);
        if (earlier != null && region.isRegistered()) {
            earlier.whenComplete((done, error) -> {
                if (error == null) {
                    exported.complete(null);
                } else {
                    exported.completeExceptionally(error);
                }
            });
            return;
        }
        RegionExport export = null;
        try {
            export = exports.open(this);
            region.exportTo(export, link);
            unansweredExports.put(export.slot, exported);
            granted.put(region, exported);
        } catch (IOException | RuntimeException e) {
            if (export != null) {
                exports.release(export.slot);
            }
            exported.completeExceptionally(e);
        }
    }

    /** Any thread: the region is revoked, so the peer should drop its mapping. */
    void withdraw(RegionExport export, int rkey) {
        device.execute(() -> {
            granted.remove(export.region);
            if (!link.peerGone && queuePair.isConnected()) {
                link.send(new Message.Withdraw(export.slot, rkey));
            }
        });
    }

    @Override
    public void onMessage(Message message, List<FileDescriptor> descriptors) throws IOException {
        if (message instanceof Message.Export export) {
            importRegion(export, descriptors.get(0));
        } else if (message instanceof Message.Exported exported) {
            exportAnswered(exported);
        } else if (message instanceof Message.Withdraw withdraw) {
            dropImport(withdraw);
        } else if (message instanceof Message.Withdrawn withdrawn) {
            exports.withdrawn(withdrawn.slot());
        } else if (message instanceof Message.Disconnect disconnect) {
            queuePair.end("disconnected by the peer: " + disconnect.reason(), true);
        } else {
            descriptors.forEach(Descriptors::close);
            throw new IOException("unexpected message " + message.getClass().getSimpleName());
        }
    }

    private void importRegion(Message.Export export, FileDescriptor descriptor) throws IOException {
        String error = "";
        try {
            if (letGo || !queuePair.isConnected()) {
                error = "not connected";
            } else if (remoteRegions.size() >= InboxLayout.MAX_EXPORTS) {
                error = "too many regions";
            } else if (export.rkey() == 0 || remoteRegions.get(export.rkey()) != null) {
                error = "rkey is in use";
            } else {
                remoteRegions.put(export.rkey(), RemoteRegion.open(export, descriptor));
            }
        } catch (IOException e) {
            error = "cannot map the region: " + e.getMessage();
        } finally {
            Descriptors.close(descriptor);
        }
        link.send(new Message.Exported(export.slot(), error));
    }

    private void exportAnswered(Message.Exported answer) throws IOException {
        CompletableFuture<Void> exported = unansweredExports.remove(answer.slot());
        if (exported == null) {
            throw new IOException("answer to an unknown export");
        }
        if (answer.error().isEmpty()) {
            exported.complete(null);
        } else {
            exported.completeExceptionally(new IOException("the peer could not import: " + answer.error()));
        }
    }

    private void dropImport(Message.Withdraw withdraw) throws IOException {
        RemoteRegion region = remoteRegions.get(withdraw.rkey());
        if (region == null) {
            link.send(new Message.Withdrawn(withdraw.slot()));
            return;
        }
        if (region.exportSlot != withdraw.slot()) {
            throw new IOException("withdrawal of another region");
        }
        remoteRegions.remove(withdraw.rkey());
        device.whenQuiet(queuePair.completionQueue.activity, () -> {
            region.free();
            if (!letGo) {
                link.send(new Message.Withdrawn(withdraw.slot()));
            }
        });
    }

    @Override
    public void onBroken(String reason) {
        queuePair.end(reason, true);
    }

    @Override
    public void onPeerGone() {
        exports.peerGone();
        queuePair.end("the peer is gone", true);
        if (letGo) {
            link.close();
        }
        freeInbox();
        device.forgetIfDone(this);
    }

    /** Any thread, once. */
    void ended(String reason) {
        device.execute(() -> {
            unansweredExports
                    .values()
                    .forEach(exported -> exported.completeExceptionally(
                            new IOException("connection ended before the peer could use the region: " + reason)));
            unansweredExports.clear();
            granted.clear();
            if (!link.peerGone) {
                link.send(new Message.Disconnect(reason));
            }
            device.whenQuiet(queuePair.completionQueue.activity, this::letGo);
            queuePair.completionQueue.signal();
            queuePair.tellListener(reason);
        });
    }

    /** The owner thread has seen the end of the connection, so nothing uses the peer's memory any more. */
    private void letGo() {
        letGo = true;
        remoteRegions.removeAll().forEach(RemoteRegion::free);
        peerInbox.free();
        link.finish();
        device.forgetIfDone(this);
    }

    /** Any thread, once, after {@link #ended}. */
    void closed() {
        ShmCompletionQueue completionQueue = queuePair.completionQueue;
        completionQueue.remove(queuePair);
        device.execute(() -> device.whenQuiet(completionQueue.activity, () -> {
            ownerDone = true;
            completionQueue.unreserve(queuePair.config.depths());
            freeInbox();
            device.forgetIfDone(this);
        }));
    }

    /**
     * Until the peer is gone, the operation count in the inbox tells whether the peer has left the regions exported to
     * it.
     */
    private void freeInbox() {
        if (ownerDone && (link.peerGone || abandoned) && !inboxFreed) {
            inboxFreed = true;
            exports.inboxGone();
            queuePair.inbox.memory.unmap();
        }
    }

    /** Whether everything was freed. */
    boolean isDone() {
        return letGo && inboxFreed && link.peerGone;
    }

    /** At the close of the device: stops waiting for the peer to close its side. */
    void abandon() {
        abandoned = true;
        link.close();
        freeInbox();
    }
}
