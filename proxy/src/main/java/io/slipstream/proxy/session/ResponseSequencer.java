// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

/**
 * The requests of one client connection in order, which is the order of its responses. A slot is taken when a request
 * was read. It is freed when its answer, and those of all earlier requests, were written. Answers may become ready in
 * any order. A ring of reused slots that starts small, doubles, and is full at its limit. Confined to the event loop.
 */
final class ResponseSequencer {
    private static final int FIRST_CAPACITY = 8;

    /** Takes ready answers, oldest first. */
    interface Writer {
        void write(RequestSlot slot);
    }

    private final RequestDispatcher dispatcher;
    private final int limit;
    private RequestSlot[] slots;
    /** Sequence number of the oldest slot. */
    long head;
    /** Sequence number of the next slot. */
    long tail;

    /** @param limit largest number of slots in use */
    ResponseSequencer(RequestDispatcher dispatcher, int limit) {
        this.dispatcher = dispatcher;
        this.limit = limit;
        this.slots = fill(new RequestSlot[FIRST_CAPACITY]);
    }

    boolean isFull() {
        return tail - head >= limit;
    }

    boolean isEmpty() {
        return tail == head;
    }

    int size() {
        return (int) (tail - head);
    }

    RequestSlot take() {
        if (isFull()) {
            throw new IllegalStateException("more than " + limit + " requests taken");
        }
        if (tail - head == slots.length) {
            grow();
        }
        RequestSlot slot = at(tail);
        slot.state = RequestSlot.State.QUEUED;
        slot.sequence = tail++;
        return slot;
    }

    /** The slot with that sequence number, which must be between head and tail. */
    RequestSlot at(long sequence) {
        return slots[(int) (sequence & (slots.length - 1))];
    }

    /** Writes and frees answered slots up to the first unanswered one. */
    void drain(Writer writer) {
        while (head != tail) {
            RequestSlot slot = at(head);
            if (slot.state != RequestSlot.State.DONE) {
                break;
            }
            head++;
            writer.write(slot);
            slot.free();
        }
    }

    /** Frees all slots, answered or not. */
    void clear() {
        for (; head != tail; head++) {
            at(head).free();
        }
    }

    private void grow() {
        RequestSlot[] larger = new RequestSlot[slots.length * 2];
        for (long sequence = head; sequence != tail; sequence++) {
            larger[(int) (sequence & (larger.length - 1))] = at(sequence);
        }
        slots = fill(larger);
    }

    private RequestSlot[] fill(RequestSlot[] places) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] == null) {
                places[i] = new RequestSlot(dispatcher);
            }
        }
        return places;
    }
}
