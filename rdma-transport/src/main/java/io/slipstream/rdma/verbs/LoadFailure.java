// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Explains why an existing library cannot be loaded, from the message of the dynamic linker. */
final class LoadFailure {
    private static final Pattern MISSING =
            Pattern.compile("(lib(?:ibverbs|rdmacm)\\.so\\S*): cannot open shared object");

    private LoadFailure() {}

    static String reason(Path library, Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher missing = MISSING.matcher(message);
        if (missing.find()) {
            return missing.group(1) + " is not installed on this host; apt-get install rdma-core libibverbs1 librdmacm1"
                    + " ibverbs-providers (or your distribution's rdma-core)";
        }
        if (message.contains("failed to map segment") || message.contains("Operation not permitted")) {
            return "libraries cannot be executed from " + library.getParent() + " (mounted noexec?): " + message
                    + "; name another directory with -D" + NativeLibrary.DIRECTORY_PROPERTY + "=DIRECTORY";
        }
        return "the native library " + library + " cannot be loaded: " + failure;
    }
}
