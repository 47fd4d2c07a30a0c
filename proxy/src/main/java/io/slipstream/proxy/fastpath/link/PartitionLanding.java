package io.slipstream.proxy.fastpath.link;

import io.slipstream.protocol.control.RemoteMemory;
import java.nio.ByteBuffer;

/**
 * Where the batches of one partition go, as its clients name it. Confined to the event loop.
 *
 * <pre>
 *   RING ──some requests in a row──▶ ASKING ──window given──▶ PREPARED ──next request──▶ BEGINNING ──position given──▶ LANDING
 *     ▲                                 │ refused                │ revoked                  │ refused                    │
 *     └────────── a pause first ────────┴────────────────────────┴──────────────────────────┘                            │
 *     └────────── a pause first ───────────────── ENDING ◀── revoked, a request that cannot be placed, idle, window full ┘
 * </pre>
 */
final class PartitionLanding {
    enum State {
        RING,
        ASKING,
        PREPARED,
        BEGINNING,
        LANDING,
        ENDING
    }

    private static final long FIRST_PAUSE_NS = 1_000_000_000L;
    private static final long LONGEST_PAUSE_NS = 64 * FIRST_PAUSE_NS;

    final boolean byId;
    final int partition;
    private final byte[] topic;
    /** Another one of the same hash. */
    PartitionLanding next;

    State state = State.RING;
    int requestsInRow;
    int landingId;
    /** Where the next batch will be placed. */
    int position;

    private long addressOfZero;
    private int windowEnd;
    private int rkey;
    int windowBytes;
    boolean extending;
    /** There is no further window in this segment. */
    boolean exhausted;

    boolean revoked;
    long usedAtNs;
    long begunAtNs;
    private long notBeforeNs;
    private long pauseNs = FIRST_PAUSE_NS;

    PartitionLanding(boolean byId, byte[] topic, int partition, long nowNs) {
        this.byId = byId;
        this.topic = topic;
        this.partition = partition;
        this.notBeforeNs = nowNs;
    }

    boolean is(boolean asId, ByteBuffer frame, int topicStart, int topicLength, int asPartition) {
        if (byId != asId || partition != asPartition || topic.length != topicLength) {
            return false;
        }
        for (int i = 0; i < topicLength; i++) {
            if (topic[i] != frame.get(topicStart + i)) {
                return false;
            }
        }
        return true;
    }

    byte[] topic() {
        return topic;
    }

    void use(RemoteMemory window) {
        addressOfZero = window.address();
        windowEnd = (int) window.lengthBytes();
        rkey = window.rkey();
    }

    boolean fits(int lengthBytes) {
        return (long) position + lengthBytes <= windowEnd;
    }

    int leftBytes() {
        return windowEnd - position;
    }

    long remoteAddress() {
        return addressOfZero + position;
    }

    int rkey() {
        return rkey;
    }

    boolean mayAsk(long nowNs) {
        return nowNs - notBeforeNs >= 0;
    }

    /** Back to the ring. */
    void rest(long nowNs, boolean again) {
        state = State.RING;
        requestsInRow = 0;
        extending = false;
        exhausted = false;
        revoked = false;
        position = 0;
        windowBytes = 0;
        notBeforeNs = nowNs + (again ? 0 : pauseNs);
        pauseNs = again ? FIRST_PAUSE_NS : Math.min(LONGEST_PAUSE_NS, 2 * pauseNs);
    }
}
