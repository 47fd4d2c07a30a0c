// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.address;

import org.apache.kafka.common.message.ApiMessageType;

/** The encoding of a response type in the input of {@link ResponseRewritingFuzzTest}. */
public final class ResponseRewritingSeeds {
    private ResponseRewritingSeeds() {}

    /** Returns -1 if the target does not support the type. */
    public static int typeNumber(ApiMessageType type) {
        return ResponseRewritingFuzzTest.TYPES.indexOf(type);
    }
}
