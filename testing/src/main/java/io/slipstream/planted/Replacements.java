// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Bugs that skip a step or return a wrong result. The advice is inlined, so each class is self-contained. */
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

    /** The method does nothing and reports success. */
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
