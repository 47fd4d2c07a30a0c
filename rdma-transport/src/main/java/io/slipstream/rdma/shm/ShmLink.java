// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The two sockets of one connection. One carries messages, the other descriptors; they are matched in order before they
 * reach the listener. Connection thread only.
 *
 * <p>The end of the peer's control stream proves that the peer no longer accesses this process's memory. A process
 * closes that stream only after its owner thread has left the mappings, or by dying.
 */
final class ShmLink {
    /** Reading pauses while more than this many messages, or descriptors, wait for their counterpart. */
    private static final int MAX_UNPAIRED = 64;

    interface Listener {
        /** The listener takes ownership of the descriptors. An exception ends the link with its message. */
        void onMessage(Message message, List<FileDescriptor> descriptors) throws IOException;

        /** The sockets failed or a message was malformed. Later messages are dropped. Called at most once. */
        void onBroken(String reason);

        /** The peer's stream has ended. Called at most once. */
        void onPeerGone();
    }

    private final Channel control;
    private EpollDomainSocketChannel descriptorChannel;
    Listener listener;
    private final ArrayDeque<Message> messages = new ArrayDeque<>();
    private final ArrayDeque<FileDescriptor> descriptors = new ArrayDeque<>();
    private boolean broken;
    boolean peerGone;

    ShmLink(Channel control, Listener listener) {
        this.control = control;
        this.listener = listener;
        control.pipeline().addLast("link", new ControlHandler());
    }

    /** Adds the second socket, which from now on carries descriptors only. */
    void attach(EpollDomainSocketChannel channel) {
        descriptorChannel = channel;
        channel.config().setReadMode(DomainSocketReadMode.FILE_DESCRIPTORS);
        channel.pipeline().addLast("descriptors", new DescriptorHandler());
    }

    void send(Message message) {
        control.writeAndFlush(MessageCodec.encode(control.alloc(), message), control.voidPromise());
    }

    /**
     * Sends a message with a file, whose descriptor is closed after the write or its failure. An event descriptor after
     * it stays the caller's. The socket's buffer is empty during the handshake, so this method writes the event
     * descriptor before it returns.
     */
    void send(Message message, RandomAccessFile announced, FileDescriptor... eventFd) throws IOException {
        assert message.descriptors() == 1 + eventFd.length;
        // A descriptor of its own, because the caller may close its file before a full socket accepts this one. Sending
        // does not close it.
        FileDescriptor number = new FileDescriptor(Descriptors.numberOf(announced));
        descriptorChannel.writeAndFlush(number).addListener(written -> announced.close());
        for (FileDescriptor each : eventFd) {
            descriptorChannel.writeAndFlush(each);
        }
        send(message);
    }

    /**
     * Half-closes: tells the peer that this side no longer uses its memory. The sockets close when the peer has done
     * the same.
     */
    void finish() {
        if (peerGone || !control.isActive()) {
            close();
        } else {
            ((DuplexChannel) control).shutdownOutput();
        }
    }

    void close() {
        control.close();
        if (descriptorChannel != null) {
            descriptorChannel.close();
        }
        descriptors.forEach(Descriptors::close);
        descriptors.clear();
    }

    private void breakWith(String reason) {
        if (!broken) {
            broken = true;
            messages.clear();
            listener.onBroken(reason);
        }
    }

    private void pairUp() {
        while (!broken && !messages.isEmpty() && messages.peek().descriptors() <= descriptors.size()) {
            Message message = messages.poll();
            FileDescriptor[] own = new FileDescriptor[message.descriptors()];
            for (int i = 0; i < own.length; i++) {
                own[i] = descriptors.poll();
            }
            try {
                listener.onMessage(message, List.of(own));
            } catch (IOException e) {
                breakWith(e.getMessage());
            }
        }
        control.config().setAutoRead(messages.size() < MAX_UNPAIRED);
        if (descriptorChannel != null) {
            descriptorChannel.config().setAutoRead(descriptors.size() < MAX_UNPAIRED);
        }
    }

    private void peerEnded() {
        if (!peerGone) {
            peerGone = true;
            listener.onPeerGone();
        }
    }

    private final class ControlHandler extends ChannelDuplexHandler {
        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) throws IOException {
            try {
                if (!broken) {
                    messages.add(MessageCodec.decode((ByteBuf) frame));
                    pairUp();
                }
            } finally {
                ReferenceCountUtil.release(frame);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                peerEnded();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            // Closed by this side, or by the kernel after an error on the socket. This does not prove the peer's end.
            breakWith("the connection was closed");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            breakWith("bad message from the peer: " + cause.getMessage());
        }
    }

    private final class DescriptorHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            if (read instanceof FileDescriptor descriptor
                    && !broken
                    && context.channel().isOpen()) {
                descriptors.add(descriptor);
                pairUp();
            } else if (read instanceof FileDescriptor descriptor) {
                Descriptors.close(descriptor);
            } else {
                ReferenceCountUtil.release(read);
                breakWith("received bytes where only descriptors are expected");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            breakWith("descriptor socket: " + cause.getMessage());
        }
    }
}
