// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.channel.EventLoop;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.ControlSecret.Side;
import java.util.function.Consumer;

/**
 * Start of a control connection: with a secret, both sides prove that they have it; then Hello identifies the plugin.
 * Confined to its event loop.
 *
 * <pre>
 *   ──Challenge──▶ ──Authenticate──▶ broker's proof valid? ──Hello──▶ expected broker? ──▶ met
 *      without a secret ────────────────────────────────────▲
 * </pre>
 *
 * @param secret null: no proof is required
 * @param onMet receives the expected broker's answer to Hello
 * @param onRefused receives the reason why the connection is unusable
 */
record ControlGreeting(
        String clusterId,
        int nodeId,
        String proxyId,
        ControlSecret secret,
        ControlConnection connection,
        EventLoop loop,
        Consumer<ControlResponse.Hello> onMet,
        Consumer<String> onRefused) {
    void begin() {
        if (secret == null) {
            hello();
            return;
        }
        String nonce = ControlSecret.newNonce();
        connection.ask(new ControlRequest.Challenge(nonce), loop, answer -> challenged(nonce, answer));
    }

    private void challenged(String proxyNonce, ControlResponse answer) {
        if (!(answer instanceof ControlResponse.Challenge challenge) || challenge.error() != ControlError.NONE) {
            refused("Challenge", answer);
            return;
        }
        String brokerNonce = challenge.nonce();
        if (!ControlSecret.isNonce(brokerNonce)) {
            onRefused.accept("its nonce is invalid");
            return;
        }
        byte[] certificate = connection.certificate();
        String own = secret.proof(Side.PROXY, clusterId, nodeId, proxyNonce, brokerNonce, certificate);
        String expected = secret.proof(Side.BROKER, clusterId, nodeId, proxyNonce, brokerNonce, certificate);
        connection.ask(new ControlRequest.Authenticate(own), loop, proven -> proven(expected, proven));
    }

    private void proven(String expected, ControlResponse answer) {
        if (!(answer instanceof ControlResponse.Authenticate proof) || proof.error() != ControlError.NONE) {
            refused("Authenticate", answer);
        } else if (!ControlSecret.isSame(expected, proof.proof())) {
            onRefused.accept("it did not prove the secret of rdma.control.secret");
        } else {
            hello();
        }
    }

    private void hello() {
        String version = ControlGreeting.class.getPackage().getImplementationVersion();
        connection.ask(new ControlRequest.Hello(proxyId, version == null ? "dev" : version), loop, answer -> {
            if (!(answer instanceof ControlResponse.Hello hello) || hello.error() != ControlError.NONE) {
                refused("Hello", answer);
            } else if (!clusterId.equals(hello.clusterId()) || nodeId != hello.nodeId()) {
                onRefused.accept("it belongs to broker " + hello.nodeId() + " of cluster " + hello.clusterId());
            } else {
                onMet.accept(hello);
            }
        });
    }

    private void refused(String what, ControlResponse answer) {
        onRefused.accept(
                answer == null
                        ? "no answer to " + what + connection.whyNone()
                        : answer.error() + ": " + answer.message());
    }
}
