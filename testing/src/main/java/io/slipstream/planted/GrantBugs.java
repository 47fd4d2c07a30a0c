// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;

/** Bugs of checks that matter only if a grant, a lease or a path changes at the wrong moment. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class GrantBugs {
    private GrantBugs() {}

    /** When rights are checked again, only the first session of each slot is asked about. */
    static final class RightsOfFirstSession {
        private RightsOfFirstSession() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean enter(@Advice.This Object link, @Advice.Argument(0) Object logs) {
            Reflective.reauthorizeFirstSessions(link, logs);
            return true;
        }
    }

    /** Data of a chunk counts as read before the slots, so they are not checked again. */
    static final class ChunkNotRechecked {
        private ChunkNotRechecked() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.FieldValue(value = "chunksBeforeSlots", readOnly = false) long before) {
            before = Long.MAX_VALUE;
        }
    }
}
