// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;

/** Memory that could not be registered; what the kernel said decides whether another kind of mapping may do. */
public final class RegistrationException extends IOException {
    private static final long serialVersionUID = 1L;

    public static final int ENOMEM = 12;

    private final int errno;

    public RegistrationException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    /** Too much memory for the limit of what this process may lock, or for the machine. */
    public boolean isOutOfMemory() {
        return errno == ENOMEM;
    }
}
