// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.control;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlEnvelope;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.MalformedControlMessageException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Messages of the control channel, as either side reads them. A message is decoded, or refused with a reason. Encoding
 * a decoded message gives the same bytes.
 *
 * <pre>
 *   0 kind u8 (odd: response) │ 1 frame without size
 * </pre>
 */
class ControlCodecFuzzTest {
    private static final int FIRST_BYTE = 1;
    /** Structs, records and a refusal with its stack trace, whose number does not depend on the frame's size. */
    private static final int OBJECTS_BYTES = 16 << 10;

    @FuzzTest
    void shouldDecodeOrRefuseByName(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        boolean request = (input[0] & 1) == 0;
        ByteBuffer frame =
                ByteBuffer.wrap(input, FIRST_BYTE, input.length - FIRST_BYTE).slice();
        HeapUse.requireAtMost(OBJECTS_BYTES + 4L * frame.remaining(), () -> decodeOrNull(frame, request));
        ControlEnvelope<?> decoded = decodeOrNull(frame, request);
        if (decoded != null) {
            checkRoundTrip(frame, request, decoded);
        }
    }

    private static ControlEnvelope<?> decode(ByteBuffer frame, boolean request) {
        ByteBuffer in = frame.duplicate();
        return request ? ControlCodec.decodeRequest(in) : ControlCodec.decodeResponse(in);
    }

    private static ControlEnvelope<?> decodeOrNull(ByteBuffer frame, boolean request) {
        try {
            return decode(frame, request);
        } catch (MalformedControlMessageException refused) {
            checkRefusal(frame, refused);
            return null;
        }
    }

    private static void checkRefusal(ByteBuffer frame, MalformedControlMessageException refused) {
        require(refused.getMessage() != null && !refused.getMessage().isBlank(), "a refusal without a reason");
        boolean hasHeader = frame.remaining() >= ControlCodec.HEADER_BYTES;
        require(refused.correlationIdKnown() == hasHeader, "correlationIdKnown");
        if (hasHeader) {
            require(refused.correlationId() == frame.getInt(4), "correlation id");
            ByteBuffer answer = ControlCodec.encodeProtocolError(refused);
            require(answer.getInt(0) == answer.remaining() - Integer.BYTES, "size of the answer");
            require(answer.getInt(8) == refused.correlationId(), "correlation id of the answer");
        }
    }

    private static void checkRoundTrip(ByteBuffer frame, boolean request, ControlEnvelope<?> decoded) {
        ByteBuffer written;
        try {
            written = request
                    ? ControlCodec.encodeRequest(decoded.correlationId(), (ControlRequest) decoded.message())
                    : ControlCodec.encodeResponse(decoded.correlationId(), (ControlResponse) decoded.message());
        } catch (IllegalArgumentException tooLong) {
            if (isText(frame)) {
                throw new AssertionError("cannot be encoded: " + decoded);
            }
            return;
        }
        ByteBuffer body = written.slice(Integer.BYTES, written.remaining() - Integer.BYTES);
        ControlEnvelope<?> again = decode(body, request);
        require(again.correlationId() == decoded.correlationId(), "correlation id");
        boolean cut = decoded.message() instanceof ControlResponse response
                && response.message() != null
                && response.message().length() > 1000;
        if (!cut && !again.message().equals(decoded.message())) {
            throw new AssertionError(decoded + " became " + again);
        }
    }

    /** Returns whether the bytes are UTF-8. Strings replace other bytes, and may then outgrow the frame. */
    private static boolean isText(ByteBuffer frame) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(frame.duplicate());
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
