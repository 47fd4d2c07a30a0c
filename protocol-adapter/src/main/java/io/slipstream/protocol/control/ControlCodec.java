// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.SchemaException;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Codec for frames of the control channel. Integers are big-endian:
 *
 * <pre>
 *   size i32 │ api i16 │ version i16 │ correlation i32 │ request: body
 *                                                      │ response: error i16, message nullable str, result if error = 0
 * </pre>
 *
 * <p>Encoded frames include the size field and are ready to be written. Frames to decode start after the size field and
 * end at the buffer's limit. The decoder compares each length with the remaining bytes before it allocates. All methods
 * are stateless and thread-safe. Buffers belong to the caller.
 */
public final class ControlCodec {
    /** Largest frame in bytes, without the size field. */
    public static final int MAX_FRAME_BYTES = 64 * 1024;
    /** Bytes before the body, without the size field. */
    public static final int HEADER_BYTES = 8;

    /** Longer messages for operators are truncated, so that a refusal always fits a frame. */
    private static final int MAX_MESSAGE_CHARS = 1000;

    /** By this, proxies of older releases know that they need not ask again on this link. */
    private static final short RETIRED = 11;

    private static final Schema HEADER = new Schema(
            new Field("api", Type.INT16), new Field("version", Type.INT16), new Field("correlation_id", Type.INT32));
    private static final Schema OUTCOME =
            new Schema(new Field("error", Type.INT16), new Field("message", Type.NULLABLE_STRING));

    private ControlCodec() {}

    /** @throws IllegalArgumentException if the message does not fit a frame or a required field is null */
    public static ByteBuffer encodeRequest(int correlationId, ControlRequest request) {
        ControlApi api = ControlApi.of(request);
        return frame(Header.of(api, correlationId), api.requestSchema.struct(request), null);
    }

    /** @throws IllegalArgumentException if the message does not fit a frame or a required field is null */
    public static ByteBuffer encodeResponse(int correlationId, ControlResponse response) {
        ControlApi api = ControlApi.of(response);
        Struct header = Header.of(api, correlationId);
        Struct outcome = outcome(response.error().code, response.message());
        return response.error() == ControlError.NONE
                ? frame(header, outcome, api.resultSchema.struct(response))
                : frame(header, outcome, null);
    }

    /** The answer to a malformed request with a readable correlation id. It repeats the request's api and version. */
    public static ByteBuffer encodeProtocolError(MalformedControlMessageException malformed) {
        if (!malformed.correlationIdKnown()) {
            throw new IllegalArgumentException("The frame had no correlation id to answer to", malformed);
        }
        return frame(
                malformed.header.struct(),
                outcome(malformed.isOfRetiredApi() ? RETIRED : ControlError.PROTOCOL.code, malformed.getMessage()),
                null);
    }

    /**
     * Decodes a request.
     *
     * @param frame without the size field; after an exception its position is undefined
     * @throws MalformedControlMessageException for all malformed bytes; there is no other exception
     */
    public static ControlEnvelope<ControlRequest> decodeRequest(ByteBuffer frame) {
        Header header = header(frame, false);
        Struct body = read(header, header.api.requestSchema.schema, frame);
        requireConsumed(header, frame);
        return new ControlEnvelope<>(header.correlationId, (ControlRequest) header.api.requestSchema.message(body));
    }

    /**
     * Decodes a response.
     *
     * @param frame without the size field; after an exception its position is undefined
     * @throws MalformedControlMessageException for all malformed bytes; there is no other exception
     */
    public static ControlEnvelope<ControlResponse> decodeResponse(ByteBuffer frame) {
        Header header = header(frame, true);
        Struct outcome = read(header, OUTCOME, frame);
        short code = outcome.getShort("error");
        String message = outcome.getString("message");
        ControlResponse response;
        if (code == ControlError.NONE.code) {
            if (header.version != ControlApi.VERSION) {
                throw header.malformed("unsupported version of " + header.api, null);
            }
            Struct result = read(header, header.api.resultSchema.schema, frame);
            response = (ControlResponse) header.api.resultSchema.message(result, ControlError.NONE, message);
        } else {
            response = header.api.refusal(ControlError.of(code), message);
        }
        requireConsumed(header, frame);
        return new ControlEnvelope<>(header.correlationId, response);
    }

    private static Struct outcome(short error, String message) {
        return new Struct(OUTCOME).set("error", error).set("message", cut(message));
    }

    /** @param api null if this release has no api of that key */
    record Header(ControlApi api, short key, short version, int correlationId) {
        static Struct of(ControlApi api, int correlationId) {
            return new Header(api, api.key, ControlApi.VERSION, correlationId).struct();
        }

        Struct struct() {
            return new Struct(HEADER).set("api", key).set("version", version).set("correlation_id", correlationId);
        }

        MalformedControlMessageException malformed(String what, Throwable cause) {
            String message = "Control frame of api " + key + " version " + version + ": " + what;
            return new MalformedControlMessageException(message, cause, this);
        }
    }

    private static Header header(ByteBuffer frame, boolean anyVersion) {
        int frameBytes = frame.remaining();
        if (frameBytes < HEADER_BYTES) {
            throw new MalformedControlMessageException(
                    "Control frame of " + frameBytes + " bytes has no header (" + HEADER_BYTES + ")", null, null);
        }
        frame.order(ByteOrder.BIG_ENDIAN);
        short key = frame.getShort();
        short version = frame.getShort();
        int correlationId = frame.getInt();
        Header header = new Header(ControlApi.ofKey(key), key, version, correlationId);
        if (frameBytes > MAX_FRAME_BYTES) {
            throw header.malformed(frameBytes + " bytes are more than " + MAX_FRAME_BYTES, null);
        } else if (header.api == null) {
            throw header.malformed("unknown api", null);
        } else if (!anyVersion && version != ControlApi.VERSION) {
            throw header.malformed("unsupported version of " + header.api, null);
        }
        return header;
    }

    private static Struct read(Header header, Schema schema, ByteBuffer frame) {
        try {
            return schema.read(frame);
        } catch (SchemaException | BufferUnderflowException e) {
            throw header.malformed(e.getMessage(), e);
        }
    }

    private static void requireConsumed(Header header, ByteBuffer frame) {
        if (frame.hasRemaining()) {
            throw header.malformed(frame.remaining() + " trailing bytes", null);
        }
    }

    private static ByteBuffer frame(Struct header, Struct body, Struct result) {
        try {
            int sizeBytes = header.sizeOf() + body.sizeOf() + (result == null ? 0 : result.sizeOf());
            if (sizeBytes > MAX_FRAME_BYTES) {
                throw new IllegalArgumentException(
                        "Control frame of " + sizeBytes + " bytes is more than " + MAX_FRAME_BYTES + ": " + header);
            }
            ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + sizeBytes);
            frame.putInt(sizeBytes);
            header.writeTo(frame);
            body.writeTo(frame);
            if (result != null) {
                result.writeTo(frame);
            }
            return frame.flip();
        } catch (SchemaException e) {
            throw new IllegalArgumentException("Control message with an illegal field: " + e.getMessage(), e);
        }
    }

    private static String cut(String message) {
        return message == null || message.length() <= MAX_MESSAGE_CHARS
                ? message
                : message.substring(0, MAX_MESSAGE_CHARS);
    }
}
