// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.config.PluginKeys;
import java.util.List;
import java.util.function.Predicate;

/**
 * Charges registered bytes to principals. If there are not enough, it revokes grants, so that a later request succeeds.
 * Worker thread of {@link SlotReads} only.
 */
final class SegmentRoom {
    private final ReadsConfig config;
    private final RegisteredBytes bytes;
    private final List<LinkSlots> links;
    private final SlotDirectory directory;
    private long comingBytes;
    private long comingSinceNs = System.nanoTime();

    SegmentRoom(ReadsConfig config, RegisteredBytes bytes, List<LinkSlots> links, SlotDirectory directory) {
        this.config = config;
        this.bytes = bytes;
        this.links = links;
        this.directory = directory;
    }

    /** Returns null if the bytes are charged, else the reason. A later request may then succeed. */
    String charge(String principal, long wantedBytes) {
        long nowNs = System.nanoTime();
        return switch (bytes.charge(principal, wantedBytes, nowNs)) {
            case TAKEN -> null;
            case ENTITLED -> {
                makeRoom(wantedBytes, nowNs);
                yield PluginKeys.REGISTERED_BYTES + "=" + config.registeredBytes() + " are in use";
            }
            case HAS_ITS_PART -> {
                GrantedSlot own = oldest(nowNs - 2 * config.leaseNs(), principal::equals);
                revoke(own);
                yield PluginKeys.REGISTERED_BYTES + "=" + config.registeredBytes()
                        + " are in use, an equal part of it by " + principal;
            }
            case BEYOND_BOUND ->
                principal + " would exceed the limit of one principal, see "
                        + PluginKeys.REGISTERED_BYTES_PER_PRINCIPAL;
        };
    }

    /**
     * Makes room for a principal that is entitled to it. It revokes the least recently located grant that is charged to
     * a principal above its part, even if the grant is in use. If there is none, it revokes the least recently located
     * grant that was not located within two leases. The memory is free a lease later. Until then no more is revoked
     * than is wanted.
     */
    private void makeRoom(long wantedBytes, long nowNs) {
        if (nowNs - comingSinceNs > 2 * config.leaseNs()) {
            comingBytes = 0;
        }
        if (comingBytes >= wantedBytes) {
            return;
        }
        GrantedSlot ending = oldest(nowNs, bytes::isBeyondPart);
        if (ending == null) {
            ending = oldest(nowNs - 2 * config.leaseNs(), principal -> true);
        }
        if (ending != null) {
            comingBytes += ending.chargedBytes();
            comingSinceNs = nowNs;
            revoke(ending);
        }
    }

    /**
     * Returns the least recently located grant of all links that is charged to a matching principal, if located before
     * that time; else null.
     */
    private GrantedSlot oldest(long beforeNs, Predicate<String> chargedTo) {
        GrantedSlot oldest = null;
        for (LinkSlots link : links) {
            GrantedSlot candidate = link.leastRecentlyLocated(beforeNs, chargedTo);
            if (candidate != null && (oldest == null || candidate.lastLocatedNs - oldest.lastLocatedNs < 0)) {
                oldest = candidate;
            }
        }
        return oldest;
    }

    private void revoke(GrantedSlot ending) {
        if (ending != null) {
            directory.take(ending);
        }
    }
}
