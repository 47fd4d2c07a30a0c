// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.address;

import org.apache.kafka.common.message.ApiMessageType;

/** How a response is named in the input of {@link ResponseRewritingFuzzTest}. */
public final class ResponseRewritingSeeds {
    private ResponseRewritingSeeds() {}

    /** -1 if the target does not take that type. */
    public static int typeNumber(ApiMessageType type) {
        return ResponseRewritingFuzzTest.TYPES.indexOf(type);
    }
}
