// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/** Kafka's generated readers, the reference for our parsers. */
public final class KafkaReaders {
    private static final ApiMessageType[] TYPES = ApiMessageType.values();

    private KafkaReaders() {}

    /**
     * Kafka's view of a frame.
     *
     * @param clientId client id of a request; null in a response
     * @param bodyPosition index of the body's first byte
     * @param leftBytes unused bytes after the message
     */
    public record Read(ApiMessage body, String clientId, int bodyPosition, int leftBytes) {}

    /** Reads the frame (header on, without size, between position and limit). Returns null if Kafka refuses it. */
    public static Read request(ByteBuffer frame, ApiMessageType type, short version) {
        ByteBuffer in = frame.duplicate();
        ByteBufferAccessor readable = new ByteBufferAccessor(in);
        try {
            RequestHeaderData header = new RequestHeaderData(readable, type.requestHeaderVersion(version));
            int bodyPosition = in.position();
            ApiMessage body = type.newRequest();
            body.read(readable, version);
            return new Read(body, header.clientId(), bodyPosition, in.remaining());
        } catch (RuntimeException refused) {
            return null;
        }
    }

    /** As {@link #request} for bytes that start with the body. */
    public static Read requestBody(ByteBuffer body, ApiMessageType type, short version) {
        ByteBuffer in = body.duplicate();
        ApiMessage message = type.newRequest();
        try {
            message.read(new ByteBufferAccessor(in), version);
            return new Read(message, null, 0, in.remaining());
        } catch (RuntimeException refused) {
            return null;
        }
    }

    /** As {@link #request} for a response. */
    public static Read response(ByteBuffer frame, ApiMessageType type, short version) {
        ByteBuffer in = frame.duplicate();
        ByteBufferAccessor readable = new ByteBufferAccessor(in);
        try {
            new ResponseHeaderData(readable, type.responseHeaderVersion(version));
            int bodyPosition = in.position();
            ApiMessage body = type.newResponse();
            body.read(readable, version);
            return new Read(body, null, bodyPosition, in.remaining());
        } catch (RuntimeException refused) {
            return null;
        }
    }

    /** Returns the start of the request's body by Kafka's header reader; -1 if it refuses the header. */
    public static int bodyPosition(ByteBuffer frame, ApiMessageType type, short version) {
        ByteBuffer in = frame.duplicate();
        try {
            new RequestHeaderData(new ByteBufferAccessor(in), type.requestHeaderVersion(version));
            return in.position();
        } catch (RuntimeException refused) {
            return -1;
        }
    }

    /** Maps any number to an API. */
    public static ApiMessageType type(int number) {
        return TYPES[Math.floorMod(number, TYPES.length)];
    }

    /** Maps any number to a version of the type. */
    public static short version(ApiMessageType type, int number) {
        int oldest = type.lowestSupportedVersion();
        return (short) (oldest + Math.floorMod(number, type.highestSupportedVersion(true) - oldest + 1));
    }

    /**
     * Returns whether Kafka's writer could have produced these body bytes. Its readers also accept other bytes: any
     * negative length as null, any stated size of a known tagged field. Ours refuse those and leave them to the broker
     * unchanged.
     */
    public static boolean isKafkasWriting(Read read, ByteBuffer frame, short version) {
        ByteBuffer written;
        try {
            written = bytes(read.body(), version);
        } catch (RuntimeException notWritable) {
            return false;
        }
        return frame.slice(read.bodyPosition(), frame.limit() - read.bodyPosition() - read.leftBytes())
                .equals(written);
    }

    /** The same for a request header with this client id: no writer produces a length below -1. */
    public static boolean isKafkasHeader(ByteBuffer request) {
        return request.getShort(8) >= -1;
    }

    /** Returns the message's bytes by Kafka's writer. */
    public static ByteBuffer bytes(ApiMessage message, short version) {
        return MessageUtil.toByteBufferAccessor(message, version).buffer();
    }
}
