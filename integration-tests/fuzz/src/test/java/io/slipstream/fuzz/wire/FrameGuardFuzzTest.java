// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.fuzz.KafkaReaders;
import io.slipstream.protocol.wire.FrameGuard;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;

/**
 * Compares the count guard of responses, and the flyweight of a request's header, with Kafka's readers, for every API
 * and version.
 *
 * <pre>
 *   0 kind u8 (odd: response) │ 1 api u8 │ 2 version u8 │ 3 frame; these replace a request's key and version
 * </pre>
 */
class FrameGuardFuzzTest {
    private static final int FIRST_BYTE = 3;
    /** For each byte of a frame, Kafka's readers allocate at most an object and its place in a list. */
    private static final int KAFKA_BYTES_PER_BYTE = 500;

    private static final int KAFKA_BYTES = 64 << 10;

    private final FrameGuard guard = new FrameGuard();
    private final RequestHeaderView header = new RequestHeaderView();

    @FuzzTest
    void shouldAcceptWhatKafkaReads(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        boolean request = (input[0] & 1) == 0;
        ApiMessageType type = KafkaReaders.type(input[1]);
        if (type.highestSupportedVersion(true) < 0) {
            return;
        }
        short version = KafkaReaders.version(type, input[2]);
        ByteBuffer frame =
                ByteBuffer.wrap(input, FIRST_BYTE, input.length - FIRST_BYTE).slice();
        if (request && frame.remaining() >= RequestHeaderView.PREFIX_BYTES) {
            frame.putShort(0, type.apiKey()).putShort(2, version);
        }
        if (request) {
            checkHeader(frame, type, version, KafkaReaders.request(frame, type, version));
        } else {
            checkGuard(frame, type, version);
        }
    }

    private void checkGuard(ByteBuffer frame, ApiMessageType type, short version) {
        boolean[] accepted = new boolean[1];
        HeapUse.requireAtMost(0, () -> accepted[0] = guard.acceptsResponse(frame, type.apiKey(), version));
        if (accepted[0]) {
            HeapUse.requireAtMost(
                    KAFKA_BYTES + (long) KAFKA_BYTES_PER_BYTE * frame.remaining(),
                    () -> KafkaReaders.response(frame, type, version));
        }
        KafkaReaders.Read read = KafkaReaders.response(frame, type, version);
        if (read != null && !accepted[0] && KafkaReaders.isKafkasWriting(read, frame, version)) {
            throw new AssertionError("refused: " + type + " version " + version + ", which Kafka reads as " + read);
        }
    }

    private void checkHeader(ByteBuffer frame, ApiMessageType type, short version, KafkaReaders.Read read) {
        boolean[] wrapped = new boolean[1];
        HeapUse.requireAtMost(0, () -> wrapped[0] = header.wrap(frame));
        if (wrapped[0] != frame.remaining() >= RequestHeaderView.PREFIX_BYTES) {
            throw new AssertionError("prefix: " + wrapped[0] + " of " + frame.remaining() + " bytes");
        }
        if (!wrapped[0]) {
            return;
        }
        int bodyPosition = KafkaReaders.bodyPosition(frame, type, version);
        if (header.bodyPosition != bodyPosition && KafkaReaders.isKafkasHeader(frame)) {
            throw new AssertionError("body at " + header.bodyPosition + ", by Kafka at " + bodyPosition);
        }
        if (header.clientId() != null) {
            int clientIdBytes = frame.getShort(RequestHeaderView.PREFIX_BYTES);
            // The bytes, the same for an attempt with one byte per character, then two bytes per character, and a copy
            // of the final length.
            HeapUse.requireAtMost(256 + 6L * clientIdBytes, header::clientId);
        }
        if (read != null
                && KafkaReaders.isKafkasHeader(frame)
                && !java.util.Objects.equals(header.clientId(), read.clientId())) {
            throw new AssertionError("client id '" + header.clientId() + "', by Kafka '" + read.clientId() + "'");
        }
    }
}
