// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import java.io.IOException;

/** The provider that a plugin offers cannot be used here; the message says why. */
final class UnusableProviderException extends IOException {
    private static final long serialVersionUID = 1L;

    UnusableProviderException(String message) {
        super(message);
    }
}
