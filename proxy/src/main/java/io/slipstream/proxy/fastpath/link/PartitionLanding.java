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
    /** Where the next batch is placed; where several proxies place batches, that of the request being decided for. */
    int position;

    /** Reserved with the position, where several proxies place batches; else 0. */
    int order;

    private RemoteMemory word = RemoteMemory.NONE;
    /** Where the newest place that was reserved ends. */
    int reservedEnd;
    /** Places that were asked for or are held. */
    int reserved;
    /** Nothing more is to be reserved: it ends when all that is held was written. */
    boolean ends;
    /** Something was reserved and will not be written. */
    boolean leavesHoles;

    private long addressOfZero;
    private int windowStart;
    private int windowEnd;
    private int rkey;
    private long previousAddressOfZero;
    private int previousEnd;
    private int previousRkey;
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

    /** @param start from which position on it may be used */
    void use(RemoteMemory window, int start) {
        previousAddressOfZero = addressOfZero;
        previousEnd = windowEnd;
        previousRkey = rkey;
        windowStart = start;
        addressOfZero = window.address();
        windowEnd = (int) window.lengthBytes();
        rkey = window.rkey();
    }

    boolean fits(int lengthBytes) {
        return (long) position + lengthBytes <= windowEnd;
    }

    /** Where several proxies place batches: whether the bytes lie in this window, or the one before. */
    boolean covers(long from, int lengthBytes) {
        return from + lengthBytes <= (from >= windowStart ? windowEnd : previousEnd);
    }

    int leftBytes() {
        return windowEnd - (isShared() ? reservedEnd : position);
    }

    int windowEnd() {
        return windowEnd;
    }

    long remoteAddress() {
        return (position >= windowStart ? addressOfZero : previousAddressOfZero) + position;
    }

    int rkey() {
        return position >= windowStart ? rkey : previousRkey;
    }

    /** @param sharedWord where places are reserved; of no length if this proxy alone places batches */
    void share(RemoteMemory sharedWord) {
        word = sharedWord;
    }

    boolean isShared() {
        return word.lengthBytes() > 0;
    }

    long wordAddress() {
        return word.address();
    }

    int wordKey() {
        return word.rkey();
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
        order = 0;
        reservedEnd = 0;
        windowBytes = 0;
        windowStart = 0;
        word = RemoteMemory.NONE;
        reserved = 0;
        ends = false;
        leavesHoles = false;
        notBeforeNs = nowNs + (again ? 0 : pauseNs);
        pauseNs = again ? FIRST_PAUSE_NS : Math.min(LONGEST_PAUSE_NS, 2 * pauseNs);
    }
}
