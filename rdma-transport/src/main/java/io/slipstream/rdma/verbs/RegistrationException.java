// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;

/** Memory could not be registered. The errno tells whether another kind of mapping may succeed. */
public final class RegistrationException extends IOException {
    private static final long serialVersionUID = 1L;

    public static final int ENOMEM = 12;

    private final int errno;

    public RegistrationException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    /** Whether the memory exceeds the limit of locked memory, or the machine's memory. */
    public boolean isOutOfMemory() {
        return errno == ENOMEM;
    }
}
