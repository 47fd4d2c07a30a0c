// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Grants of bytes that sessions may be served before their next report, by the quota that they share. A grant takes a
 * part of the quota's rest beyond the outstanding grants. The sessions of a quota together therefore never get more
 * than its rest, and the next session always gets a part. A session with high use gets up to half; one with low use
 * takes little from others. Grants expire, so nothing is kept of a session that is gone. Worker thread only.
 */
final class ReadAllowances {
    /** Divisor for the part of a session without use. */
    private static final int FIRST_PART = 16;
    /** A session gets this multiple of its use in the last period, because its client may become faster. */
    private static final int GROWTH = 4;

    private final long goodForNs;
    /** Of quotas with a grant, now or lately. */
    final Map<Object, Shared> byEntity = new HashMap<>();
    /** All grants in the order of their expiry, including replaced ones, which are empty. */
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

    /** A grant of one session. The session keeps it until its next request. */
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
     * @param usedBytes bytes served to the session since its last report
     * @param last the session's previous grant, which ends with this one; null if there is none
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
}
