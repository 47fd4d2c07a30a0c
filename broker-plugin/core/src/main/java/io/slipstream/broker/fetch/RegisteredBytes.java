// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.config.PluginKeys;
import java.util.IdentityHashMap;

/**
 * The registered bytes of segments, by proxy. All proxies together hold at most {@code slipstream.registered.bytes},
 * and each at most {@value #MOST_TIMES_FREE} times what it leaves free. One proxy alone can thus use 16 of 17 parts,
 * and a newcomer always finds some. Nothing is taken from a reader. Proxies that hold more than that renew nothing, so
 * parts become equal as readers go on. Any thread.
 */
final class RegisteredBytes {
    static final int MOST_TIMES_FREE = 16;

    private final long limitBytes;
    private final int mostRegions;
    /** By identity, without entries for proxies that hold nothing. */
    private final IdentityHashMap<Object, Long> heldByProxy = new IdentityHashMap<>();

    private long chargedBytes;
    private int regions;

    /** @param mostRegions largest number of regions of all proxies */
    RegisteredBytes(long limitBytes, int mostRegions) {
        this.limitBytes = limitBytes;
        this.mostRegions = mostRegions;
    }

    /** Returns null if the bytes are charged to the proxy, else the reason. A later attempt may then succeed. */
    synchronized String charge(Object proxy, long bytes) {
        if (regions >= mostRegions) {
            return mostRegions + " regions are mapped, half of vm.max_map_count";
        }
        long heldBytes = heldByProxy.getOrDefault(proxy, 0L) + bytes;
        long freeBytes = limitBytes - chargedBytes - bytes;
        // heldBytes > MOST_TIMES_FREE * freeBytes, without overflow.
        if ((heldBytes - 1) / MOST_TIMES_FREE >= freeBytes) {
            return PluginKeys.REGISTERED_BYTES + "=" + limitBytes
                    + " are in use, or the proxy would hold too many of them";
        }
        chargedBytes += bytes;
        regions++;
        heldByProxy.put(proxy, heldBytes);
        return null;
    }

    synchronized void discharge(Object proxy, long bytes) {
        chargedBytes -= bytes;
        regions--;
        heldByProxy.computeIfPresent(proxy, (same, held) -> held == bytes ? null : held - bytes);
    }

    synchronized long chargedBytes() {
        return chargedBytes;
    }

    synchronized int regions() {
        return regions;
    }
}
