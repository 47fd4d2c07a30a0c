// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.Channel;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.tls.Handshake;

/**
 * Admits a client. With TLS, a client has no {@link ClientSession} and no connection to a broker before its handshake
 * is complete; until the handshake's deadline it costs one socket. {@code max.connections} bounds the sum of both
 * kinds. Confined to the client's event loop.
 */
public final class ClientAdmission {
    private final SessionContext context;
    private final Channel client;
    private final int nodeId;
    private boolean handshaking;

    private ClientAdmission(SessionContext context, Channel client, int nodeId) {
        this.context = context;
        this.client = client;
        this.nodeId = nodeId;
    }

    /** @param nodeId the broker of the port, or -1 on the bootstrap port */
    public static void admit(SessionContext context, Channel client, int nodeId) {
        if (context.encryption.isTowardsClients()) {
            new ClientAdmission(context, client, nodeId).shakeHands();
        } else {
            new ClientSession(context, client, nodeId).start();
        }
    }

    private void shakeHands() {
        handshaking = true;
        int open = context.handshakes.incrementAndGet() + context.sessions.size();
        client.closeFuture().addListener(closed -> endHandshake());
        if (open > context.config.getInt(ProxyKeys.MAX_CONNECTIONS)) {
            onClosed(
                    DisconnectCause.LIMIT,
                    context.config.getInt(ProxyKeys.MAX_CONNECTIONS) + " clients are connected, see "
                            + ProxyKeys.MAX_CONNECTIONS);
            client.close();
            return;
        }
        client.pipeline()
                .addLast(Encryption.HANDLER, context.encryption.towardsClient(client))
                .addLast(new Handshake(this::onHandshaken));
    }

    private void endHandshake() {
        if (handshaking) {
            handshaking = false;
            context.handshakes.decrementAndGet();
        }
    }

    private void onHandshaken(Throwable failure) {
        endHandshake();
        if (failure == null) {
            new ClientSession(context, client, nodeId).start();
        } else if (TlsFailure.isPlaintext(failure)) {
            onClosed(
                    DisconnectCause.PLAINTEXT,
                    "the client does not use TLS, but this port requires it (security.protocol of the client)");
        } else {
            boolean ofTls = TlsFailure.isCauseOf(failure);
            onClosed(ofTls ? DisconnectCause.TLS_FAILED : DisconnectCause.CLIENT_CLOSED, TlsFailure.describe(failure));
        }
    }

    private void onClosed(DisconnectCause cause, String detail) {
        context.onClosed("client " + client.remoteAddress(), cause, detail);
    }
}
