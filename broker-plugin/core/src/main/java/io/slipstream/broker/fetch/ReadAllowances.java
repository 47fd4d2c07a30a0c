// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that sessions may be served before they report, by the quota that they share. A grant takes a part of what the
 * quota leaves beyond the grants that are still good, so the sessions of one quota together never get more than it
 * leaves, and the next one always gets something. A session that used much gets up to half; one that uses little holds
 * little back from others. Grants end by themselves, so nothing is kept of a session that went away. Worker thread
 * only.
 */
final class ReadAllowances {
    /** What part a session gets that has used nothing. */
    private static final int FIRST_PART = 16;
    /**
     * How many times what it used in the last period a session gets for the next, in which the client may be faster.
     */
    private static final int GROWTH = 4;

    private final long goodForNs;
    private final Map<Object, Shared> byEntity = new HashMap<>();
    /** All grants in the order in which they end; replaced ones too, with nothing left in them. */
    private final ArrayDeque<Grant> ending = new ArrayDeque<>();

    ReadAllowances(long goodForNs) {
        this.goodForNs = goodForNs;
    }

    private static final class Shared {
        private final Object entity;
        private long grantedBytes;

        private Shared(Object entity) {
            this.entity = entity;
        }
    }

    /** What one session was granted; it holds on to this until it asks for the next. */
    static final class Grant {
        private final Shared shared;
        private final long endsAtNs;
        long bytes;

        private Grant(Shared shared, long bytes, long endsAtNs) {
            this.shared = shared;
            this.bytes = bytes;
            this.endsAtNs = endsAtNs;
        }
    }

    /**
     * @param usedBytes what the session was served since its last report
     * @param last what the session was granted before, which ends with this; null if nothing
     */
    Grant grant(ReadAccounts.ReadQuota quota, long usedBytes, Grant last, long nowNs) {
        if (last != null) {
            end(last);
        }
        expire(nowNs);
        Shared shared = byEntity.computeIfAbsent(quota.entity(), Shared::new);
        long left = Math.max(0, quota.leftBytes() - shared.grantedBytes);
        long bytes = Math.min(left / 2, Math.max(left / FIRST_PART, GROWTH * usedBytes));
        Grant grant = new Grant(shared, bytes, nowNs + goodForNs);
        shared.grantedBytes += grant.bytes;
        ending.add(grant);
        return grant;
    }

    /** Forgets what has ended. */
    void expire(long nowNs) {
        while (!ending.isEmpty() && ending.peek().endsAtNs - nowNs <= 0) {
            Grant ended = ending.poll();
            end(ended);
            if (ended.shared.grantedBytes == 0) {
                byEntity.remove(ended.shared.entity, ended.shared);
            }
        }
    }

    private static void end(Grant grant) {
        grant.shared.grantedBytes -= grant.bytes;
        grant.bytes = 0;
    }

    /** Quotas under which something is granted or was lately. */
    int size() {
        return byEntity.size();
    }
}
