// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * The tagged field by which an ApiVersions request of a proxy carries a nonce. Kafka does not know the field, and so
 * ignores it. In the client software name a nonce would label a broker's meters.
 */
public final class NonceField {
    /** "SLIP", far from the numbers that Kafka assigns from 0 on. */
    private static final int TAG = 0x534c4950;

    private NonceField() {}

    public static RawTaggedField of(String nonce) {
        return new RawTaggedField(TAG, nonce.getBytes(StandardCharsets.US_ASCII));
    }

    /** The nonce among a request's unknown tagged fields; null if there is none. */
    public static String in(List<RawTaggedField> fields) {
        return fields.stream()
                .filter(field -> field.tag() == TAG)
                .map(field -> new String(field.data(), StandardCharsets.US_ASCII))
                .findFirst()
                .orElse(null);
    }
}
