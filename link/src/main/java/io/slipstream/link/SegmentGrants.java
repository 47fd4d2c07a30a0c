// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.link.meter.GrantKind;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The segment regions granted to this link, with a count of the cursors in each, and the Locate requests that obtain
 * them. An answer may name no region ({@code lengthBytes} 0) if there are no bytes yet; there is then nothing to
 * release.
 *
 * <p>A region without cursors is released, but never while a request is outstanding: its answer may name that region
 * again, and a READ of a released region breaks the queue pair.
 */
public final class SegmentGrants {
    private final LiveLink link;
    private final IntObjectHashMap<Segment> byRkey = new IntObjectHashMap<>();
    private final List<Segment> idle = new ArrayList<>();
    private int openQuestions;

    SegmentGrants(LiveLink link) {
        this.link = link;
    }

    /** A granted region. */
    public static final class Segment {
        public final RemoteMemory memory;
        private int cursors;
        /** Number of chunks that hold data of this region or read it now. */
        private int kept;

        public Segment(RemoteMemory memory) {
            this.memory = memory;
        }

        /** Number of cursors in the region, of all client connections. */
        public int cursors() {
            return cursors;
        }

        private boolean isUnused() {
            return cursors == 0 && kept == 0;
        }
    }

    /**
     * Asks for a region.
     *
     * @param then receives the answer, which may be a refusal; null if it timed out or the link is lost. It must retain
     *     a segment that it keeps before it returns
     */
    public void locate(ControlRequest.Locate request, Consumer<ControlResponse.Locate> then) {
        openQuestions++;
        link.ask(request, response -> {
            openQuestions--;
            link.meters().granted(GrantKind.READ, response);
            ControlResponse.Locate located = response instanceof ControlResponse.Locate locate ? locate : null;
            if (located != null && located.error() == ControlError.NONE && link.isUp()) {
                segmentOf(located.segment());
            }
            then.accept(link.isUp() ? located : null);
            releaseIdle();
        });
    }

    private Segment segmentOf(RemoteMemory memory) {
        if (memory.lengthBytes() == 0) {
            return new Segment(memory);
        }
        Segment segment = byRkey.get(memory.rkey());
        if (segment == null) {
            segment = new Segment(memory);
            byRkey.put(memory.rkey(), segment);
            idle.add(segment);
        }
        return segment;
    }

    /** The region of an answer; the caller counts as a cursor in it from now on. */
    public Segment retain(RemoteMemory memory) {
        Segment segment = segmentOf(memory);
        segment.cursors++;
        return segment;
    }

    public void release(Segment segment) {
        segment.cursors--;
        noticeIdle(segment);
    }

    /** Protects a region for READs that may outlast the cursors in it. */
    public void keep(Segment segment) {
        segment.kept++;
    }

    /** Reverses {@link #keep}. */
    public void giveUp(Segment segment) {
        segment.kept--;
        noticeIdle(segment);
    }

    private void noticeIdle(Segment segment) {
        if (segment.isUnused() && segment.memory.lengthBytes() > 0) {
            idle.add(segment);
            releaseIdle();
        }
    }

    private void releaseIdle() {
        if (openQuestions > 0 || idle.isEmpty()) {
            return;
        }
        for (Segment segment : idle) {
            if (segment.isUnused() && byRkey.containsKey(segment.memory.rkey())) {
                byRkey.remove(segment.memory.rkey());
                link.tell(new ControlRequest.ReleaseSegment(link.linkId(), segment.memory.rkey()));
            }
        }
        idle.clear();
    }

    public int size() {
        return byRkey.size();
    }
}
