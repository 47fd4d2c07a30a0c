// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Bugs that leave a step out or answer it wrongly. Inlined where they are planted, so each stands on its own. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads what advice assigns.
final class Replacements {
    private Replacements() {}

    /** The method does nothing. */
    static final class Skipped {
        private Skipped() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }
    }

    /** The method does nothing and says that it has. */
    static final class SkippedWithSuccess {
        private SkippedWithSuccess() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter() {
            return true;
        }

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = true;
        }
    }

    static final class AlwaysTrue {
        private AlwaysTrue() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = true;
        }
    }

    static final class AlwaysFalse {
        private AlwaysFalse() {}

        @Advice.OnMethodExit
        static void exit(@Advice.Return(readOnly = false) boolean result) {
            result = false;
        }
    }
}
