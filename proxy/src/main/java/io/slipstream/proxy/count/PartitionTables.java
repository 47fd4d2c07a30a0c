// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The tables of all event loops that have served a client. Thread-safe. */
public final class PartitionTables {
    public final List<PartitionTable> all = new CopyOnWriteArrayList<>();
    private final FastThreadLocal<PartitionTable> own = new FastThreadLocal<>() {
        @Override
        protected PartitionTable initialValue() {
            PartitionTable table = new PartitionTable();
            all.add(table);
            return table;
        }
    };

    /** The table of the calling thread. */
    public PartitionTable own() {
        return own.get();
    }
}
