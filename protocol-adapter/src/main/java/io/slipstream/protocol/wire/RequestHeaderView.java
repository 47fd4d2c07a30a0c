// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * View of a request header over the frame:
 *
 * <pre>
 *   apiKey i16 │ apiVersion i16 │ correlationId i32 │ clientId nullable string (i16) │ tagged fields if flexible │ body
 * </pre>
 *
 * The first 8 bytes are the same in every version of every API and can always be read; the rest only for known APIs and
 * versions. Throws nothing on malformed input. A flyweight for one thread.
 */
public final class RequestHeaderView {
    /** Smallest frame: key, version and correlation id. */
    public static final int PREFIX_BYTES = 8;

    private final WireCursor cursor = new WireCursor();
    private ByteBuffer frame;
    public short apiKey;
    public short apiVersion;
    public int correlationId;
    /** Whether header and body have a flexible version; false for unknown ones. */
    public boolean flexible;

    private int clientIdPosition;
    private int clientIdLength;
    /** Index of the body's first byte in the buffer; -1 if the API or version is unknown or the header malformed. */
    public int bodyPosition;

    /**
     * Reads the header of the frame between the buffer's position and limit.
     *
     * @return false if the frame is shorter than the prefix
     */
    public boolean wrap(ByteBuffer request) {
        frame = request;
        int start = request.position();
        if (request.remaining() < PREFIX_BYTES) {
            bodyPosition = -1;
            return false;
        }
        apiKey = request.getShort(start);
        apiVersion = request.getShort(start + 2);
        correlationId = request.getInt(start + 4);
        byte headerVersion = ApiTable.requestHeaderVersion(apiKey, apiVersion);
        boolean known = headerVersion != ApiTable.UNKNOWN;
        flexible = known && headerVersion >= 2;
        cursor.wrap(request, start + PREFIX_BYTES, request.limit(), flexible);
        clientIdLength = cursor.classicStringLength();
        clientIdPosition = cursor.position();
        cursor.skip(Math.max(0, clientIdLength));
        if (cursor.failed()) {
            clientIdLength = -1;
        } else if (flexible) {
            cursor.skipTags();
        }
        bodyPosition = known && !cursor.failed() ? cursor.position() : -1;
        return true;
    }

    /** Decodes the client id; null if it is null or unreadable. */
    public String clientId() {
        if (clientIdLength < 0) {
            return null;
        }
        byte[] bytes = new byte[clientIdLength];
        frame.get(clientIdPosition, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
