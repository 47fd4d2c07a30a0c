// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.slipstream.protocol.tls.FailureText;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;

/** Describes TLS failures in one line for operators. */
public final class TlsFailure {
    private TlsFailure() {}

    /** Whether an open connection failed because of TLS. */
    public static boolean isCauseOf(Throwable failure) {
        Throwable cause =
                failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof SSLException;
    }

    /** Whether the peer sent bytes that are not TLS. */
    public static boolean isPlaintext(Throwable failure) {
        return failure instanceof NotSslRecordException
                || failure instanceof DecoderException && failure.getCause() instanceof NotSslRecordException;
    }

    /** Messages from the outermost to the innermost failure, without repetitions. */
    public static String describe(Throwable failure) {
        if (isPlaintext(failure)) {
            return "the peer does not speak TLS";
        }
        if (failure instanceof ClosedChannelException) {
            return "the peer closed the connection during the TLS handshake; does it speak TLS?";
        }
        return FailureText.of(failure);
    }
}
