// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/** The client's part of a fetch session: the partitions that the server knows, and what must be told to it. */
final class FetchSession {
    private static final int NONE = 0;
    private static final int FINAL_EPOCH = -1;

    /** What a request sends. */
    record Sent(int id, int epoch, List<FetchFrames.Wish> wishes, List<Integer> forgotten) {
        /** Returns whether the answer may leave out partitions. */
        boolean isIncremental() {
            return epoch > 0;
        }
    }

    private final boolean wanted;
    private final Map<Integer, FetchFrames.Wish> known = new LinkedHashMap<>();
    private int id = NONE;
    private int epoch;

    /** @param wanted whether the client opens sessions */
    FetchSession(boolean wanted) {
        this.wanted = wanted;
    }

    void reset() {
        id = NONE;
        epoch = 0;
        known.clear();
    }

    boolean isOpen() {
        return id != NONE;
    }

    Sent next(List<FetchFrames.Wish> wishes) {
        if (!wanted) {
            return new Sent(NONE, FINAL_EPOCH, wishes, List.of());
        }
        List<FetchFrames.Wish> told = new ArrayList<>();
        List<Integer> forgotten = new ArrayList<>(known.keySet());
        for (FetchFrames.Wish wish : wishes) {
            forgotten.remove((Integer) wish.partition());
            if (!wish.equals(known.put(wish.partition(), wish))) {
                told.add(wish);
            }
        }
        forgotten.forEach(known::remove);
        return new Sent(id, epoch, told, forgotten);
    }

    /** Takes a response; false if the server does not know the session, which begins anew then. */
    boolean onResponse(Sent sent, FetchFrames.Response response) {
        boolean unknown = response.error() == Errors.FETCH_SESSION_ID_NOT_FOUND.code()
                || response.error() == Errors.INVALID_FETCH_SESSION_EPOCH.code();
        if (unknown || response.sessionId() == NONE || sent.isIncremental() && response.sessionId() != id) {
            reset();
        } else {
            id = response.sessionId();
            epoch++;
        }
        return !unknown;
    }
}
