// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * Reads a partition by the rules of docs/protocol.md alone: locate, slot, bytes, slot again. It finds the batches by
 * their headers (base offset at byte 0, length at 8, last offset delta at 23).
 */
public final class SlotReader {
    private static final int MOST_BYTES = 2 << 20;
    private static final int BATCH_OVERHEAD = 12;
    private static final int LAST_OFFSET_DELTA = 23;

    private final SlotAccess access;
    private final int linkId;
    private final int sessionId;
    private final String topic;
    private final Uuid topicId;
    /** The batches read: base offset and last offset of each. */
    public final List<long[]> batches = new ArrayList<>();

    private final List<ByteBuffer> chunks = new ArrayList<>();
    public ControlResponse.Locate located;
    /** Number of new locates after a revocation. */
    public int relocations;

    private boolean gaps;
    private int position;
    private long offset;

    public SlotReader(SlotAccess access, int linkId, int sessionId, String topic, Uuid topicId, long offset) {
        this.access = access;
        this.linkId = linkId;
        this.sessionId = sessionId;
        this.topic = topic;
        this.topicId = topicId;
        this.offset = offset;
    }

    public String topic() {
        return topic;
    }

    public long offset() {
        return offset;
    }

    /** Accepts a log that is cleaned: its offsets have gaps, and at times no offset can be located. */
    public SlotReader withGaps() {
        gaps = true;
        return this;
    }

    public SlotView slot() {
        return access.slot(located.slot());
    }

    public SlotView slotOf(ControlResponse.Locate answer) {
        return access.slot(answer.slot());
    }

    public ControlResponse.Locate locate() throws Exception {
        return locate(offset, -1, -1);
    }

    public ControlResponse.Locate locate(long fetchOffset, int currentEpoch, int lastFetchedEpoch) throws Exception {
        String name = topicId.equals(Uuid.ZERO_UUID) ? topic : "";
        return access.locate(new ControlRequest.Locate(
                linkId, sessionId, topicId, name, 0, fetchOffset, currentEpoch, lastFetchedEpoch));
    }

    /** Steps until all records below {@code end} are read. */
    public void readTo(long end, long timeoutNs) throws Exception {
        long deadlineNs = System.nanoTime() + timeoutNs;
        while (offset < end) {
            if (!step()) {
                assertThat(System.nanoTime() - deadlineNs)
                        .as("at %d of %d", offset, end)
                        .isNegative();
                Thread.onSpinWait();
            }
        }
    }

    /** Returns all bytes read. */
    public byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        chunks.forEach(chunk -> all.write(chunk.array(), 0, chunk.limit()));
        return all.toByteArray();
    }

    /** Reads the committed bytes of the present segment, or moves to the next one. Returns whether it read bytes. */
    public boolean step() throws Exception {
        if (located == null) {
            located = locate();
            if (gaps && located.error() == ControlError.NOT_READABLE) {
                // In the middle of a swap; a proxy would take TCP.
                located = null;
                return false;
            }
            assertThat(located.error())
                    .as("locate %d: %s", offset, located.message())
                    .isEqualTo(ControlError.NONE);
            position = located.position();
        }
        SlotView before = access.slot(located.slot());
        if (before.generation() != located.generation() || before.isRevoked()) {
            located = null;
            relocations++;
            return false;
        }
        int limit;
        if (before.segmentBaseOffset() == located.segmentBaseOffset()) {
            limit = located.sealedBytes() < 0
                    ? before.highWatermarkPosition()
                    : Math.min(before.highWatermarkPosition(), located.sealedBytes());
        } else if (before.segmentBaseOffset() < located.segmentBaseOffset()) {
            return false;
        } else if (located.sealedBytes() >= 0) {
            limit = located.sealedBytes();
        } else {
            located = null;
            return false;
        }
        if (limit <= position) {
            if (limit == located.sealedBytes()) {
                located = null;
            }
            return false;
        }
        long windowEnd = located.segment().lengthBytes();
        boolean windowEnds = limit > windowEnd;
        limit = (int) Math.min(Math.min(limit, windowEnd), position + MOST_BYTES);
        if (limit <= position) {
            located = null;
            return false;
        }
        byte[] copy = new byte[limit - position];
        access.read(located.segment(), position, copy.length).get(0, copy);
        ByteBuffer bytes = ByteBuffer.wrap(copy);
        SlotView after = access.slot(located.slot());
        if (after.generation() != located.generation() || after.isRevoked()) {
            located = null;
            return false;
        }
        int taken = take(bytes, before.highWatermark());
        if (!windowEnds) {
            assertThat(taken).as("whole batches").isEqualTo(copy.length);
        }
        position += taken;
        if (taken == 0) {
            assertThat(located.position()).as("a fresh window holds the batch").isNotEqualTo(position);
            located = null;
        }
        return taken > 0;
    }

    /** Takes the complete batches and returns their bytes. */
    private int take(ByteBuffer bytes, long highWatermark) {
        int at = 0;
        while (at + LAST_OFFSET_DELTA + Integer.BYTES <= bytes.limit()) {
            long base = bytes.getLong(at);
            int size = bytes.getInt(at + 8) + BATCH_OVERHEAD;
            if (at + size > bytes.limit()) {
                break;
            }
            long last = base + bytes.getInt(at + LAST_OFFSET_DELTA);
            assertThat(size)
                    .as("batch at %d of segment %d", position + at, located.segmentBaseOffset())
                    .isPositive();
            assertThat(last).as("last offset of the batch at %d", position + at).isGreaterThanOrEqualTo(offset);
            assertThat(last).as("only committed").isLessThan(highWatermark);
            if (!batches.isEmpty() && !gaps) {
                assertThat(base).as("no gap, no overlap").isEqualTo(offset);
            }
            batches.add(new long[] {base, last});
            offset = last + 1;
            at += size;
        }
        chunks.add(bytes.duplicate().limit(at));
        return at;
    }
}
