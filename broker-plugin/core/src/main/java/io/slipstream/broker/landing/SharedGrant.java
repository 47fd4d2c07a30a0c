package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.PlaceWord;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * One link's part in a {@link SharedLanding}: its windows of the file, and its key of the word in which places are reserved.
 *
 * <pre>
 *   GRANTED ──the proxy is ready──▶ BEGUN ──ended by the proxy, link lost──▶ ENDED
 *      └───────────────── refused, link lost, landing over ────────────────────▲
 * </pre>
 */
final class SharedGrant implements Grant {
    enum State {
        GRANTED,
        BEGUN,
        ENDED
    }

    private final SharedLanding landing;
    private final LandingLink link;
    private final int id;
    private final MemoryRegion word;

    /** Under the landing's monitor, as is the next. */
    State state = State.GRANTED;

    /** Batches that were announced and not handled. */
    int pending;

    private volatile LandingWindow window;
    private volatile LandingWindow previousWindow;
    /** Landing thread: all windows that are, or may still be, in somebody's hands. */
    private final List<LandingWindow> windows = new ArrayList<>();

    SharedGrant(SharedLanding landing, LandingLink link, int id, MemoryRegion word) {
        this.landing = landing;
        this.link = link;
        this.id = id;
        this.word = word;
    }

    SharedLanding landing() {
        return landing;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public LandingLink link() {
        return link;
    }

    boolean isEnded() {
        return state == State.ENDED;
    }

    MemoryRegion word() {
        return word;
    }

    LandingWindow window() {
        return window;
    }

    /** Landing thread. */
    List<LandingWindow> windows() {
        return windows;
    }

    /** Landing thread: the one before remains usable, those before it are in nobody's hands at the proxy. */
    void extend(LandingWindow next) {
        windows.add(next);
        previousWindow = window;
        window = next;
    }

    @Override
    public int begin() {
        return landing.begin(this);
    }

    @Override
    public void drain(boolean leavesHoles) {
        landing.leave(this, leavesHoles);
    }

    @Override
    public LandingWindow take(int position, int lengthBytes, int order) {
        if (order < 0 || order >= PlaceWord.ORDERS || lengthBytes <= LandedLengths.OVERHEAD_BYTES) {
            return null;
        }
        LandingWindow newest = window;
        LandingWindow before = previousWindow;
        if (newest.holds(position, lengthBytes)) {
            return newest;
        }
        return before != null && before.holds(position, lengthBytes) ? before : null;
    }

    @Override
    public ByteBuffer handle(LandingWindow holding, int position, int lengthBytes) {
        return holding.view(position, lengthBytes);
    }

    /** A shared batch is handled as its {@link Turn}. */
    @Override
    public void handled(LandingWindow holding, int position, int lengthBytes) {}
}
