// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.slipstream.link.settings.ControlTls;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.rdma.LocalPeers;
import java.io.IOException;

/**
 * By what a proxy recognises plugins. A socket's file says nothing: whoever can write into the directory, or made it
 * first, can put his own there. The kernel says whose process listens.
 *
 * @param peers as whose processes brokers of this host run
 * @param secret that those reached by TCP have; null: none
 * @param tls by which those reached by TCP show their certificate; null: by none
 */
record ControlTrust(LocalPeers peers, ControlSecret secret, ControlTls tls) {
    /** Null if the process that listens there is of a user that brokers run as, else who it is. */
    String stranger(EpollDomainSocketChannel channel) {
        try {
            int uid = channel.peerCredentials().uid();
            return peers.allows(uid)
                    ? null
                    : "its socket belongs to user " + Integer.toUnsignedString(uid) + ", and rdma.control.users allows "
                            + peers;
        } catch (IOException e) {
            return "the kernel does not say whose socket it is: " + e.getMessage();
        }
    }
}
