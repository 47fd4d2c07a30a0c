package io.slipstream.proxy.tls;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;

/** What went wrong with TLS, in one line for people. */
public final class TlsFailure {
    private static final int MAX_CAUSES = 8;

    private TlsFailure() {}

    /** Whether a connection failed because of TLS, after it was opened. */
    public static boolean isCauseOf(Throwable failure) {
        Throwable cause =
                failure instanceof DecoderException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof SSLException;
    }

    /** Whether the peer sent something that is not TLS. */
    public static boolean isPlaintext(Throwable failure) {
        return failure instanceof NotSslRecordException
                || failure instanceof DecoderException && failure.getCause() instanceof NotSslRecordException;
    }

    /** Messages from the outside in, without what repeats. */
    public static String describe(Throwable failure) {
        if (isPlaintext(failure)) {
            return "the peer does not speak TLS";
        }
        if (failure instanceof ClosedChannelException) {
            return "the peer closed the connection during the TLS handshake; does it speak TLS?";
        }
        StringBuilder text = new StringBuilder();
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            String message = cause.getMessage();
            boolean news = message != null && text.indexOf(message) < 0 && !isOnlyNameOf(cause.getCause(), message);
            if (news) {
                text.append(text.isEmpty() ? "" : ": ").append(message);
            }
            cause = cause.getCause();
        }
        return text.isEmpty() ? failure.getClass().getSimpleName() : text.toString();
    }

    /** An exception that was only wrapped says no more than its cause. */
    private static boolean isOnlyNameOf(Throwable cause, String message) {
        return cause != null && message.equals(cause.toString());
    }
}
