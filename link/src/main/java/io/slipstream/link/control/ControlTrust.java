// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.slipstream.link.settings.ControlTls;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.rdma.LocalPeers;
import java.io.IOException;

/**
 * How a proxy identifies plugins. The socket file is no evidence: other users with access to the directory may create
 * it. The kernel reports the user of the listening process.
 *
 * @param peers users as which brokers of this host run
 * @param secret secret of plugins reached by TCP; null: none
 * @param tls TLS for plugins reached by TCP; null: none
 */
record ControlTrust(LocalPeers peers, ControlSecret secret, ControlTls tls) {
    /** Null if the listening process belongs to an accepted user; otherwise a description of its user. */
    String stranger(EpollDomainSocketChannel channel) {
        try {
            int uid = channel.peerCredentials().uid();
            return peers.allows(uid)
                    ? null
                    : "its socket belongs to user " + Integer.toUnsignedString(uid) + ", and rdma.control.users allows "
                            + peers;
        } catch (IOException e) {
            return "the kernel does not report the owner of the socket: " + e.getMessage();
        }
    }
}
