// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Maps 32-bit keys to objects. The data path looks up without locks or allocation. A change replaces the map by a
 * changed copy and holds the table's monitor: regions come and go off the request path.
 */
final class KeyTable<T> {
    /** Never changed once it is here. */
    private volatile Int2ObjectHashMap<T> map = new Int2ObjectHashMap<>();

    T get(int key) {
        return map.get(key);
    }

    synchronized void put(int key, T value) {
        assert get(key) == null : "key in use";
        Int2ObjectHashMap<T> changed = new Int2ObjectHashMap<>(map);
        changed.put(key, value);
        map = changed;
    }

    /** Returns the removed value, or null. */
    synchronized T remove(int key) {
        Int2ObjectHashMap<T> changed = new Int2ObjectHashMap<>(map);
        T value = changed.remove(key);
        map = changed;
        return value;
    }

    synchronized List<T> removeAll() {
        List<T> values = values();
        map = new Int2ObjectHashMap<>();
        return values;
    }

    synchronized List<T> values() {
        return new ArrayList<>(map.values());
    }

    int size() {
        return map.size();
    }
}
