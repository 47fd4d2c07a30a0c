// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.ControlSecret.Side;

/**
 * The proof of identity of one connection before Hello, for a listener with a secret. Confined to the control thread.
 *
 * <pre>
 *   STRANGE ──Challenge──▶ CHALLENGED ──Authenticate, right──▶ PROVEN
 *      └─────anything else──────┴───wrong, anything else──▶ the connection is closed
 * </pre>
 *
 * The proxy proves first. A peer without the secret therefore receives nothing that helps to guess it.
 */
public final class Authentication {
    /** For listeners whose peers the kernel has identified. */
    static final Authentication NONE = new Authentication(null, null, -1);

    private enum State {
        STRANGE,
        CHALLENGED,
        PROVEN
    }

    private final ControlSecret secret;
    private final String clusterId;
    private final int nodeId;
    private State state;
    private String proxyNonce;
    private String brokerNonce;

    /** @param secret null: every peer of the listener may say Hello */
    public Authentication(ControlSecret secret, String clusterId, int nodeId) {
        this.secret = secret;
        this.clusterId = clusterId;
        this.nodeId = nodeId;
        this.state = secret == null ? State.PROVEN : State.STRANGE;
    }

    boolean isDone() {
        return state == State.PROVEN;
    }

    /**
     * Answers a request of a connection that has not said Hello. After a refusal the caller closes the connection.
     *
     * @param certificate digest of the certificate that secured this connection, see {@link ControlSecret#digest}
     */
    ControlResponse answer(ControlRequest request, byte[] certificate) {
        if (secret == null) {
            return refusal(request, "this control channel has no secret to prove");
        } else if (state == State.STRANGE && request instanceof ControlRequest.Challenge challenge) {
            return challenged(challenge);
        } else if (state == State.CHALLENGED && request instanceof ControlRequest.Authenticate authenticate) {
            return authenticated(authenticate, certificate);
        }
        return refusal(
                request,
                "this control channel requires a secret: set rdma.control.secret or"
                        + " rdma.control.secret.file at the proxy");
    }

    private ControlResponse challenged(ControlRequest.Challenge challenge) {
        if (!ControlSecret.isNonce(challenge.nonce())) {
            return refusal(challenge, "the nonce is malformed");
        }
        state = State.CHALLENGED;
        proxyNonce = challenge.nonce();
        brokerNonce = ControlSecret.newNonce();
        return new ControlResponse.Challenge(ControlError.NONE, null, brokerNonce);
    }

    private ControlResponse authenticated(ControlRequest.Authenticate authenticate, byte[] certificate) {
        if (!ControlSecret.isSame(proof(Side.PROXY, certificate), authenticate.proof())) {
            return refusal(
                    authenticate,
                    "the proof is wrong: the proxy has another secret, meant another broker, or saw another"
                            + " certificate");
        }
        state = State.PROVEN;
        return new ControlResponse.Authenticate(ControlError.NONE, null, proof(Side.BROKER, certificate));
    }

    private String proof(Side side, byte[] certificate) {
        return secret.proof(side, clusterId, nodeId, proxyNonce, brokerNonce, certificate);
    }

    private static ControlResponse refusal(ControlRequest request, String message) {
        return ControlApi.of(request).refusal(ControlError.NOT_AUTHENTICATED, message);
    }
}
