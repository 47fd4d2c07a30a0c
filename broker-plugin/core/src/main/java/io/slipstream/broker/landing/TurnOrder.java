package io.slipstream.broker.landing;

import io.slipstream.protocol.ring.PlaceWord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Whose turn it is in a shared segment: each order's place begins where that of the order before ends. Knows nothing of threads or time; guarded by the
 * landing's monitor.
 */
final class TurnOrder {
    private static final int MOST_AHEAD = PlaceWord.ORDERS / 2;

    private final Int2ObjectHashMap<Turn> waiting = new Int2ObjectHashMap<>();
    private volatile Turn current;
    private int nextOrder;
    private int nextPosition;

    /** The first place is order 0, at that position. */
    void start(int position) {
        nextPosition = position;
    }

    /** Any thread: who appends now; null if nobody. */
    Turn current() {
        return current;
    }

    /** Where the turns that are done end. */
    int nextPosition() {
        return nextPosition;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Whether nobody has this order yet, it is still to come, and, if it is the next, lies where it must. */
    boolean isPlausible(Turn turn) {
        Turn now = current;
        return ahead(turn) < MOST_AHEAD
                && !waiting.containsKey(turn.order)
                && (now == null || now.order != turn.order)
                && (turn.order != nextOrder || turn.position == nextPosition);
    }

    /** Orders between this one and the one that is next. */
    private int ahead(Turn turn) {
        return (turn.order - nextOrder) & (PlaceWord.ORDERS - 1);
    }

    /** A plausible one: true if it is its turn, else it waits. */
    boolean enter(Turn turn, boolean mayBeCurrent) {
        if (mayBeCurrent && current == null && turn.order == nextOrder) {
            makeCurrent(turn);
            return true;
        }
        waiting.put(turn.order, turn);
        return false;
    }

    private void makeCurrent(Turn turn) {
        turn.state = Turn.State.CURRENT;
        current = turn;
    }

    /** The current one is done. */
    void advance() {
        Turn done = current;
        done.state = Turn.State.DONE;
        current = null;
        nextOrder = (nextOrder + 1) & (PlaceWord.ORDERS - 1);
        nextPosition = done.end();
    }

    /** Whether the next one waits, but lies elsewhere than it must, or was given up by whom it belongs to. */
    boolean isNextBroken() {
        Turn next = waiting.get(nextOrder);
        return next != null && (next.position != nextPosition || next.state != Turn.State.RESERVED);
    }

    /** The next one if it waits, current from now on; else null. */
    Turn takeNext() {
        Turn next = waiting.remove(nextOrder);
        if (next != null) {
            makeCurrent(next);
        }
        return next;
    }

    /** All that wait, dropped, by their order. */
    List<Turn> dropAll() {
        List<Turn> turns = new ArrayList<>(waiting.values());
        turns.sort(Comparator.comparingInt(this::ahead));
        waiting.clear();
        for (Turn turn : turns) {
            turn.state = Turn.State.DROPPED;
        }
        return turns;
    }
}
