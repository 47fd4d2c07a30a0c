// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.slipstream.rdma.MemoryRegion;
import java.util.concurrent.Executor;

/**
 * The memory of one link. Allocated and closed on the set-up thread; used on the event loop in between.
 *
 * <pre>
 *   words:   0 ─ ones, for arming ─ 1024 ─ slot table header, for the lease ─ 2048 ─ consumed reply position ─ 4096
 * </pre>
 *
 * @param replies the reply ring, written by the plugin
 * @param words small sources and targets of the link's own work requests
 * @param staging mirror of the request ring, if local segments must be registered memory; else null
 * @param reads target memory of fetches; owned by the event loop, not by the link
 */
public record LinkMemory(MemoryRegion replies, MemoryRegion words, MemoryRegion staging, ReadMemory reads) {
    public static final int WORDS_BYTES = 4096;
    public static final int ONES = 0;
    public static final int TABLE_HEADER = 1024;
    public static final int REPLY_POSITION = 2048;

    /** Releases the link's own regions, after its queue pair was closed. */
    public void close(Executor setup) {
        setup.execute(() -> {
            replies.close();
            words.close();
            if (staging != null) {
                staging.close();
            }
        });
    }
}
