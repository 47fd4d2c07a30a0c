// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.tls;

/** Formats a failure and its causes as one line for operators. */
public final class FailureText {
    private static final int MAX_CAUSES = 8;

    private FailureText() {}

    /** Messages from the outermost to the innermost failure, without repetitions. */
    public static String of(Throwable failure) {
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

    /** Whether the message repeats its cause because the exception only wraps it. */
    private static boolean isOnlyNameOf(Throwable cause, String message) {
        return cause != null && message.equals(cause.toString());
    }
}
