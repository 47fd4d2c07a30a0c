// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * The segment regions that this link was granted, counted by the cursors that stand in them, and the question that
 * grants them. An answer may name no region ({@code lengthBytes} 0): there are no bytes yet, and there is nothing to
 * give back. A region nobody stands in is given back, but never while a question is open: its answer may name that very
 * region, and reading a region that was given back breaks the queue pair.
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
        private final RemoteMemory memory;
        private int cursors;
        /** Chunks that are read from it or were. */
        private int kept;

        private Segment(RemoteMemory memory) {
            this.memory = memory;
        }

        /** A region that nobody counts, for the tests of who only looks at it. */
        public static Segment of(RemoteMemory memory) {
            return new Segment(memory);
        }

        public RemoteMemory memory() {
            return memory;
        }

        /** Cursors that stand in it, of all client connections. */
        public int cursors() {
            return cursors;
        }

        private boolean isUnused() {
            return cursors == 0 && kept == 0;
        }
    }

    /** Takes the answer to {@link #locate}; a segment that it wants to keep it must retain before it returns. */
    @FunctionalInterface
    public interface LocateAnswer {
        /** @param answer a refusal included; null if there was none in time or the link is gone */
        void onLocated(ControlResponse.Locate answer);
    }

    public void locate(ControlRequest.Locate request, LocateAnswer answer) {
        openQuestions++;
        link.connection().ask(request, link.loop(), response -> {
            openQuestions--;
            link.meters().granted(GrantKind.READ, response);
            ControlResponse.Locate located = response instanceof ControlResponse.Locate locate ? locate : null;
            if (located != null && located.error() == ControlError.NONE && link.isUp()) {
                segmentOf(located.segment());
            }
            answer.onLocated(link.isUp() ? located : null);
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

    /** The region that an answer named; the caller counts as a cursor in it from now on. */
    public Segment retain(RemoteMemory memory) {
        Segment segment = segmentOf(memory);
        segment.cursors++;
        return segment;
    }

    public void release(Segment segment) {
        segment.cursors--;
        noticeIdle(segment);
    }

    /** For READs that may outlast the cursors in the region. */
    public void keep(Segment segment) {
        segment.kept++;
    }

    /** Ends what {@link #keep} began. */
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

    /** Regions granted now. */
    public int size() {
        return byRkey.size();
    }
}
