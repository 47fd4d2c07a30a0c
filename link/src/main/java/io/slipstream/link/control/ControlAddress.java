// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Address of a plugin: its Unix domain socket in the directory shared with proxies of its host, or a TCP port. */
record ControlAddress(SocketAddress address, Class<? extends Channel> channel) {
    static ControlAddress socket(String path) {
        return new ControlAddress(new DomainSocketAddress(path), EpollDomainSocketChannel.class);
    }

    static ControlAddress tcp(InetSocketAddress address) {
        return new ControlAddress(address, EpollSocketChannel.class);
    }

    boolean isTcp() {
        return address instanceof InetSocketAddress;
    }

    @Override
    public String toString() {
        return address instanceof InetSocketAddress tcp
                ? tcp.getHostString() + ":" + tcp.getPort()
                : address.toString();
    }
}
