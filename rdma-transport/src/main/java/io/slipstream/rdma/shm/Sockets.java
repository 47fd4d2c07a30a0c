// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.AttributeKey;
import io.slipstream.rdma.LocalPeers;
import java.io.IOException;

/** Settings and phases of the sockets of both roles. Connection thread. */
final class Sockets {
    private static final AttributeKey<Boolean> HANDSHAKE_OVER = AttributeKey.valueOf(Sockets.class, "handshakeOver");

    private Sockets() {}

    static void prepare(EpollDomainSocketChannel channel) {
        // The end of the peer's stream proves that it has left our memory. A failed write must not close the socket
        // before.
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setOption(ChannelOption.AUTO_CLOSE, false);
        int size = MessageCodec.LENGTH_BYTES;
        channel.pipeline()
                .addLast("frames", new LengthFieldBasedFrameDecoder(MessageCodec.MAX_FRAME_BYTES, 0, size, 0, size));
    }

    /** From now on the socket carries descriptors only. Its end closes it. */
    static void stopFraming(EpollDomainSocketChannel channel) {
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        channel.pipeline().remove("frames");
    }

    /** Null if the user of the peer process is allowed, else a description of that user. */
    static String stranger(EpollDomainSocketChannel channel, LocalPeers peers) {
        try {
            int uid = channel.peerCredentials().uid();
            return peers.allows(uid) ? null : "user " + Integer.toUnsignedString(uid) + ", who is not one of " + peers;
        } catch (IOException e) {
            return "an unknown user: " + e.getMessage();
        }
    }

    static boolean isPending(Channel channel) {
        return channel.attr(HANDSHAKE_OVER).get() == null;
    }

    /** Returns true the first time. */
    static boolean markOver(Channel channel) {
        return channel.attr(HANDSHAKE_OVER).getAndSet(true) == null;
    }
}
