// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Maps non-zero 32-bit keys to objects. The data path looks up without locks or allocation; changes hold the table's
 * monitor. Keys are random, so their low bits serve as the hash. Removal copies the table: regions are removed off the
 * request path.
 */
final class KeyTable<T> {
    private record Slots<T>(int[] keys, AtomicReferenceArray<T> values) {
        static <T> Slots<T> ofCapacity(int capacity) {
            return new Slots<>(new int[capacity], new AtomicReferenceArray<>(capacity));
        }

        void put(int key, T value) {
            int mask = keys.length - 1;
            int index = key & mask;
            while (values.getPlain(index) != null) {
                index = (index + 1) & mask;
            }
            keys[index] = key;
            values.setRelease(index, value);
        }
    }

    private volatile Slots<T> slots = Slots.ofCapacity(16);
    private int size;

    T get(int key) {
        Slots<T> current = slots;
        int mask = current.keys.length - 1;
        for (int index = key & mask; ; index = (index + 1) & mask) {
            T value = current.values.getAcquire(index);
            if (value == null || current.keys[index] == key) {
                return value;
            }
        }
    }

    synchronized void put(int key, T value) {
        assert get(key) == null : "key in use";
        if ((size + 1) * 2 > slots.keys.length) {
            slots = copy(slots.keys.length * 2, 0);
        }
        slots.put(key, value);
        size++;
    }

    /** Returns the removed value, or null. */
    synchronized T remove(int key) {
        T value = get(key);
        if (value != null) {
            slots = copy(slots.keys.length, key);
            size--;
        }
        return value;
    }

    synchronized List<T> removeAll() {
        List<T> values = values();
        slots = Slots.ofCapacity(16);
        size = 0;
        return values;
    }

    synchronized List<T> values() {
        List<T> values = new ArrayList<>(size);
        for (int i = 0; i < slots.keys.length; i++) {
            if (slots.values.getPlain(i) != null) {
                values.add(slots.values.getPlain(i));
            }
        }
        return values;
    }

    synchronized int size() {
        return size;
    }

    private Slots<T> copy(int capacity, int exceptKey) {
        Slots<T> source = slots;
        Slots<T> copy = Slots.ofCapacity(capacity);
        for (int i = 0; i < source.keys.length; i++) {
            T value = source.values.getPlain(i);
            if (value != null && source.keys[i] != exceptKey) {
                copy.put(source.keys[i], value);
            }
        }
        return copy;
    }
}
