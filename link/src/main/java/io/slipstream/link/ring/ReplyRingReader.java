// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.collection.IntObjectMap;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingCursor;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;

/**
 * Reads the reply frames that the plugin writes into this ring. It copies each response into a pooled buffer
 * (most responses are small) and releases the space by the plugin's control word. All fields of a frame are checked
 * before use.
 */
public final class ReplyRingReader {
    private static final int WITHOUT_RESPONSE = RingFrame.FLAG_NO_RESPONSE
            | RingFrame.FLAG_CLOSE_CONNECTION
            | RingFrame.FLAG_TAKE_TCP
            | RingFrame.FLAG_TOO_LARGE;

    private final ByteBuffer bytes;
    private final RingCursor cursor;
    private final ByteBufAllocator allocator;
    private final RequestRingWriter requests;
    private final IntObjectMap<LinkSession> sessions;
    private final LinkPort port;
    private final RemoteMemory controlWord;
    /** Contains the consumed position, as the source of the WRITE to the plugin. */
    private final MemoryRegion words;

    private final ByteBuffer wordBytes;

    private long publishedPosition;

    public ReplyRingReader(
            LinkMemory memory,
            ByteBufAllocator allocator,
            RequestRingWriter requests,
            IntObjectMap<LinkSession> sessions,
            LinkPort port,
            RemoteMemory controlWord) {
        MemoryRegion region = memory.replies();
        this.words = memory.words();
        this.wordBytes = words.buffer();
        this.bytes = region.buffer().duplicate().order(java.nio.ByteOrder.LITTLE_ENDIAN);
        this.cursor = new RingCursor((int) region.lengthBytes());
        this.allocator = allocator;
        this.requests = requests;
        this.sessions = sessions;
        this.port = port;
        this.controlWord = controlWord;
    }

    /**
     * Handles the frame that {@code imm} announces.
     *
     * @return null, or the reason why the link must end
     */
    public String accept(int imm, int landedBytes) {
        long start = cursor.startOf(imm);
        if (start < 0) {
            return "reply announced at a wrong position";
        }
        int offset = cursor.offsetOf(start);
        if (bytes.getInt(offset + RingFrame.MAGIC_OFFSET) != RingFrame.MAGIC) {
            return "reply frame without magic";
        }
        int flags = bytes.getInt(offset + RingFrame.FLAGS_OFFSET);
        long sequence = bytes.getLong(offset + RingFrame.SEQUENCE_OFFSET);
        int session = bytes.getInt(offset + RingFrame.SESSION_OFFSET);
        int length = bytes.getInt(offset + RingFrame.LENGTH_OFFSET);
        long released = bytes.getLong(offset + RingFrame.RELEASED_OFFSET);
        if (landedBytes < RingFrame.HEADER_BYTES + (long) length || !cursor.advance(start, length)) {
            return "reply frame of impossible length " + length;
        }
        if ((flags & (RingFrame.FLAG_THROTTLE_START | RingFrame.FLAG_THROTTLE_END)) != 0) {
            LinkSession throttled = sessions.get(session);
            if (throttled != null) {
                throttled.onThrottle((flags & RingFrame.FLAG_THROTTLE_START) != 0);
            }
            return requests.release(released) ? null : "throttle frame releases ring space that was never written";
        }
        boolean hasResponse = (flags & WITHOUT_RESPONSE) == 0;
        ByteBuf response = hasResponse ? copy(offset + RingFrame.HEADER_BYTES, length) : null;
        return requests.onReply(sequence, flags, released, response)
                ? null
                : "reply to request " + sequence + ", which is not unanswered";
    }

    /** A copy with the 4-byte size in front, as it is sent to the client. */
    private ByteBuf copy(int offset, int length) {
        ByteBuf response = allocator.directBuffer(Integer.BYTES + length);
        response.writeInt(length);
        bytes.limit(offset + length).position(offset);
        response.writeBytes(bytes);
        bytes.clear();
        return response;
    }

    /**
     * Publishes the consumed position to the plugin if docs/protocol.md requires it. Without room for the WRITE, the
     * next call retries.
     */
    public void publishIfDue() {
        long unpublished = cursor.position() - publishedPosition;
        if (unpublished == 0 || (unpublished < cursor.ringBytes / 4 && requests.unanswered() > 0)) {
            return;
        }
        // If an earlier WRITE of the word has not completed, it may only carry the newer position.
        wordBytes.putLong(LinkMemory.REPLY_POSITION, cursor.position());
        long address = words.address() + LinkMemory.REPLY_POSITION;
        if (port.write(words.lkey(), address, Long.BYTES, controlWord.address(), controlWord.rkey())) {
            publishedPosition = cursor.position();
        }
    }
}
