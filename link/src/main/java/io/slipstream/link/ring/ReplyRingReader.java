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
 * (most responses are small) and releases the space by the plugin's control word. The parts of a large response are
 * copied into one buffer. All fields of a frame are checked before use.
 */
public final class ReplyRingReader {
    private static final int WITHOUT_RESPONSE =
            RingFrame.FLAG_NO_RESPONSE | RingFrame.FLAG_CLOSE_CONNECTION | RingFrame.FLAG_TAKE_TCP;

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
        RingRequest request = requests.request(sequence);
        if (request == null) {
            return "reply to request " + sequence + ", which is not unanswered";
        }
        boolean hasMore = (flags & RingFrame.FLAG_MORE) != 0;
        if ((flags & WITHOUT_RESPONSE) != 0) {
            request.releaseReply();
        } else if (!append(request, offset + RingFrame.HEADER_BYTES, length, hasMore)) {
            return "reply to request " + sequence + " in parts that do not have its size";
        }
        boolean isPlausible = hasMore ? requests.release(released) : requests.onReply(request, flags, released);
        return isPlausible ? null : "reply releases ring space that was never written";
    }

    /** Appends to the request's reply, which begins with its size, as it is sent to the client. */
    private boolean append(RingRequest request, int offset, int length, boolean hasMore) {
        bytes.limit(offset + length).position(offset);
        try {
            if (request.reply == null) {
                int sizeBytes = hasMore ? sizeOfParts() : length;
                if (sizeBytes < bytes.remaining()) {
                    return false;
                }
                request.reply = allocator.directBuffer(Integer.BYTES + bytes.remaining());
                request.reply.writeInt(sizeBytes);
            }
            ByteBuf reply = request.reply;
            int endBytes = Integer.BYTES + reply.getInt(0);
            int leftBytes = endBytes - reply.writerIndex() - bytes.remaining();
            if (hasMore ? leftBytes <= 0 : leftBytes != 0) {
                return false;
            }
            if (reply.writableBytes() < bytes.remaining()) {
                // Twice as much each time, but not all at once: the size is not to be trusted before the bytes are
                // here.
                int grownBytes = Math.max(2 * reply.capacity(), reply.writerIndex() + bytes.remaining());
                reply.capacity(Math.min(endBytes, grownBytes));
            }
            reply.writeBytes(bytes);
            return true;
        } finally {
            bytes.clear();
        }
    }

    /** Negative if it is missing. */
    private int sizeOfParts() {
        return bytes.remaining() < Integer.BYTES ? -1 : Integer.reverseBytes(bytes.getInt());
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
