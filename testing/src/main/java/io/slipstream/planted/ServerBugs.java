// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Harmless bugs of the plugin that are visible in its meters. */
final class ServerBugs {
    private ServerBugs() {}

    /** The code called by a hook throws. */
    static final class Failure {
        private Failure() {}

        @Advice.OnMethodEnter
        @SuppressWarnings("DoNotCallSuggester")
        static void enter() {
            throw new IllegalStateException("planted");
        }
    }
}
