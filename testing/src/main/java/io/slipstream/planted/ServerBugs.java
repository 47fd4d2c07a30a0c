// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Bugs of the plugin that do no harm and are to be seen in its meters. */
final class ServerBugs {
    private ServerBugs() {}

    /** What a hook calls fails. */
    static final class Failure {
        private Failure() {}

        @Advice.OnMethodEnter
        @SuppressWarnings("DoNotCallSuggester")
        static void enter() {
            throw new IllegalStateException("planted");
        }
    }
}
