// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The initiator's side of a handshake: see {@link Message}. Connection thread only. */
final class ShmOutgoingConnection implements ShmLink.Listener {
    private final ShmDevice device;
    private final String address;
    private final byte[] privateData;
    private final LocalEnd localEnd;
    private final CompletableFuture<QueuePair> connected;
    private EpollDomainSocketChannel control;
    private EpollDomainSocketChannel descriptorChannel;
    private ShmLink link;
    private ShmQueuePair queuePair;
    private boolean over;

    ShmOutgoingConnection(
            ShmDevice device,
            String address,
            byte[] privateData,
            LocalEnd localEnd,
            CompletableFuture<QueuePair> connected) {
        this.device = device;
        this.address = address;
        this.privateData = privateData;
        this.localEnd = localEnd;
        this.connected = connected;
    }

    void start(long timeoutNs) {
        device.loop.schedule(
                () -> fail("no answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms"),
                timeoutNs,
                TimeUnit.NANOSECONDS);
        ChannelFuture connecting = open(true);
        control = (EpollDomainSocketChannel) connecting.channel();
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                fail(String.valueOf(done.cause().getMessage()));
            } else if (!over) {
                // Checked before anything is sent: the listening process receives descriptors of this process's memory.
                String stranger = Sockets.stranger(control, device.peers);
                if (stranger != null) {
                    fail("it belongs to " + stranger);
                    return;
                }
                link = new ShmLink(control, this);
                link.send(new Message.Hello(privateData));
            } else {
                control.close();
            }
        });
    }

    private ChannelFuture open(boolean isControl) {
        return new Bootstrap()
                .group(device.loop)
                .channel(EpollDomainSocketChannel.class)
                .handler(new ChannelInitializer<EpollDomainSocketChannel>() {
                    @Override
                    protected void initChannel(EpollDomainSocketChannel channel) {
                        if (isControl) {
                            Sockets.prepare(channel);
                        }
                    }
                })
                .connect(new DomainSocketAddress(address));
    }

    @Override
    public void onMessage(Message message, List<FileDescriptor> descriptors) throws IOException {
        if (queuePair != null) {
            establish(message, descriptors);
        } else if (message instanceof Message.Token token && descriptorChannel == null) {
            attach(token);
        } else if (message instanceof Message.Accept accept && descriptorChannel != null) {
            becomeReady(accept, descriptors);
        } else if (message instanceof Message.Reject reject) {
            throw new IOException("rejected by the peer: " + reject.reason());
        } else {
            descriptors.forEach(Descriptors::close);
            throw new IOException("unexpected message " + message.getClass().getSimpleName());
        }
    }

    private void attach(Message.Token token) {
        ChannelFuture connecting = open(false);
        descriptorChannel = (EpollDomainSocketChannel) connecting.channel();
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                fail(String.valueOf(done.cause().getMessage()));
            } else if (!over && Sockets.stranger(descriptorChannel, device.peers) != null) {
                descriptorChannel.close();
                fail("its socket was replaced by another process");
            } else if (!over) {
                link.attach(descriptorChannel);
                descriptorChannel.writeAndFlush(
                        MessageCodec.encode(descriptorChannel.alloc(), new Message.Attach(token.high(), token.low())));
            } else {
                descriptorChannel.close();
            }
        });
    }

    private void becomeReady(Message.Accept accept, List<FileDescriptor> descriptors) throws IOException {
        queuePair = localEnd.establish(link, accept.ringRecords(), descriptors);
        // From here on the queue pair handles the link's messages, except for the last one of the handshake.
        link.listener = this;
        localEnd.sendWith(link, new Message.Ready(localEnd.inbox.ringRecords));
    }

    /** The queue pair exists, but the target may not know it yet. The caller gets it when ESTABLISHED arrives. */
    private void establish(Message message, List<FileDescriptor> descriptors) throws IOException {
        link.listener = queuePair.control;
        if (message instanceof Message.Established && !over) {
            over = true;
            connected.complete(queuePair);
        } else {
            // The connection ended right at its start, or the peer exports regions without waiting.
            queuePair.control.onMessage(message, descriptors);
        }
    }

    @Override
    public void onBroken(String reason) {
        if (queuePair != null) {
            queuePair.control.onBroken(reason);
        }
        fail(reason);
    }

    @Override
    public void onPeerGone() {
        if (queuePair != null) {
            queuePair.control.onPeerGone();
        }
        fail("the peer closed the connection during the handshake");
    }

    private void fail(String reason) {
        if (over) {
            return;
        }
        over = true;
        if (queuePair != null) {
            queuePair.close();
        } else {
            localEnd.discard();
            if (link != null) {
                link.close();
            } else {
                control.close();
            }
        }
        connected.completeExceptionally(new IOException("cannot connect to " + address + ": " + reason));
    }
}
