// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** Bugs of followers that fetch by RDMA. */
@SuppressWarnings("UnusedVariable") // Byte Buddy reads the assigned values.
final class ReplicationBugs {
    private ReplicationBugs() {}

    /** A fetch gets the answer to the fetch before. */
    static final class EarlierAnswer {
        private EarlierAnswer() {}

        @Advice.OnMethodExit
        static void exit(
                @Advice.This Object fetcher,
                @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object response) {
            response = Reflective.before(fetcher, response);
        }
    }
}
