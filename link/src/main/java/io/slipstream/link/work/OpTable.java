// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

/**
 * The handlers of outstanding work requests. The fixed size bounds the number of outstanding requests. A work request's
 * id contains the index and a use count, which detects a completion of an earlier use.
 */
final class OpTable {
    private final CompletionHandler[] handlers;
    private final int[] uses;
    private final int[] free;
    private int freeCount;

    OpTable(int capacity) {
        handlers = new CompletionHandler[capacity];
        uses = new int[capacity];
        free = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            free[i] = capacity - 1 - i;
        }
        freeCount = capacity;
    }

    /** The id to post with (never negative), or -1 if the table is full. */
    long add(CompletionHandler handler) {
        if (freeCount == 0) {
            return -1;
        }
        int index = free[--freeCount];
        handlers[index] = handler;
        uses[index] = (uses[index] + 1) & Integer.MAX_VALUE;
        return (long) uses[index] << 32 | index;
    }

    /** Removes the handler of a completed (or never accepted) request; null if the id is not outstanding. */
    CompletionHandler remove(long wrId) {
        int index = (int) wrId;
        if (wrId < 0 || index < 0 || index >= handlers.length || uses[index] != (int) (wrId >>> 32)) {
            return null;
        }
        CompletionHandler handler = handlers[index];
        if (handler != null) {
            handlers[index] = null;
            free[freeCount++] = index;
        }
        return handler;
    }

    /** Removes any outstanding handler, null if there is none left; for the end of the link. */
    CompletionHandler removeAny() {
        for (int i = 0; i < handlers.length && freeCount < handlers.length; i++) {
            if (handlers[i] != null) {
                return remove((long) uses[i] << 32 | i);
            }
        }
        return null;
    }

    int outstanding() {
        return handlers.length - freeCount;
    }
}
