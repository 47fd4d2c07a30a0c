// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Authenticates with SASL PLAIN (RFC 4616): {@code NUL user NUL password}. Passwords are those of the secured test
 * brokers, {@code USER-secret}.
 */
public final class PlainLogin {
    private PlainLogin() {}

    /**
     * Returns the session lifetime in milliseconds, 0 without a limit.
     *
     * @throws IOException if the broker refuses the user
     */
    public static long of(RawClient client, String user) throws IOException {
        SaslHandshakeResponseData handshake =
                client.call(1, new SaslHandshakeRequestData().setMechanism("PLAIN"), SaslHandshakeResponseData.class);
        verify(handshake.errorCode(), user);
        SaslAuthenticateResponseData answer = client.call(2, credentials(user), SaslAuthenticateResponseData.class);
        verify(answer.errorCode(), user);
        return answer.sessionLifetimeMs();
    }

    /** Returns the token alone. */
    public static SaslAuthenticateRequestData credentials(String user) {
        String token = '\0' + user + '\0' + user + "-secret";
        return new SaslAuthenticateRequestData().setAuthBytes(token.getBytes(StandardCharsets.UTF_8));
    }

    private static void verify(short errorCode, String user) throws IOException {
        if (errorCode != Errors.NONE.code()) {
            throw new IOException(user + " cannot log in: " + Errors.forCode(errorCode));
        }
    }
}
