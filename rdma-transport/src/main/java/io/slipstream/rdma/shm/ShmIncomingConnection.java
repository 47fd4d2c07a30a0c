// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The target's side of a handshake.
 *
 * <pre>
 *   HELLO, TOKEN sent ─▶ ATTACH ─▶ handler asked ──accept──▶ ACCEPT sent ─▶ READY ─▶ queue pair, ESTABLISHED sent
 *                                       └───────reject──────▶ REJECT sent, closed
 * </pre>
 *
 * <p>Confined to the connection thread, except for the answer, which may come from any thread.
 */
final class ShmIncomingConnection implements ConnectionRequest, ShmLink.Listener {
    private final ShmDevice device;
    private final ShmListener listener;
    final EpollDomainSocketChannel control;
    final Message.Token token;
    private final byte[] privateData;
    private final ShmLink link;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
    EpollDomainSocketChannel descriptorChannel;
    private LocalEnd localEnd;
    private boolean over;

    ShmIncomingConnection(
            ShmDevice device,
            ShmListener listener,
            EpollDomainSocketChannel control,
            Message.Token token,
            byte[] privateData) {
        this.device = device;
        this.listener = listener;
        this.control = control;
        this.token = token;
        this.privateData = privateData;
        this.link = new ShmLink(control, this);
        link.send(token);
    }

    void attached(EpollDomainSocketChannel channel) {
        descriptorChannel = channel;
        link.attach(channel);
    }

    @Override
    public ByteBuffer privateData() {
        return ByteBuffer.wrap(privateData).asReadOnlyBuffer();
    }

    @Override
    public CompletionStage<QueuePair> accept(QueuePairConfig config) {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was already answered");
        }
        try {
            LocalEnd end = new LocalEnd(device, config);
            if (!device.execute(() -> sendAccept(end))) {
                end.discard();
                accepted.completeExceptionally(new IOException("device is closed"));
            }
        } catch (IOException | RuntimeException e) {
            accepted.completeExceptionally(e);
            sendReject("the target could not accept: " + e.getMessage());
        }
        return accepted;
    }

    private void sendAccept(LocalEnd end) {
        localEnd = end;
        if (over) {
            end.discard();
            accepted.completeExceptionally(new IOException("the peer gave up before it was accepted"));
            return;
        }
        try {
            end.sendWith(link, new Message.Accept(end.inbox.ringRecords));
        } catch (IOException e) {
            fail(e.getMessage());
        }
    }

    @Override
    public void reject(String reason) {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was already answered");
        }
        sendReject(reason);
    }

    private void sendReject(String reason) {
        device.execute(() -> {
            if (!over) {
                link.send(new Message.Reject(reason));
                fail("rejected: " + reason);
            }
        });
    }

    @Override
    public void onMessage(Message message, List<FileDescriptor> descriptors) throws IOException {
        if (localEnd == null || !(message instanceof Message.Ready ready)) {
            descriptors.forEach(Descriptors::close);
            throw new IOException("unexpected message " + message.getClass().getSimpleName());
        }
        ShmQueuePair queuePair = localEnd.establish(link, ready.ringRecords(), descriptors);
        over = true;
        listener.established(this);
        // The owner may post receives before the peer learns that it is connected.
        accepted.complete(queuePair);
        link.send(new Message.Established());
    }

    @Override
    public void onBroken(String reason) {
        fail(reason);
    }

    @Override
    public void onPeerGone() {
        fail("the peer closed the connection during the handshake");
    }

    private void fail(String reason) {
        if (over) {
            return;
        }
        over = true;
        listener.failed(this);
        if (localEnd != null) {
            localEnd.discard();
        }
        // Flushed writes are already in the socket, so closing does not lose them.
        link.close();
        accepted.completeExceptionally(new IOException(reason));
    }
}
