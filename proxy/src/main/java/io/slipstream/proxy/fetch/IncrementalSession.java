// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.fetch.FetchPartitions;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.fetch.FetchResponseView;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/**
 * The fetch session (KIP-227) of one client connection, kept here instead of at the broker: its partitions, the state
 * last sent to the client, and the order of serving. The rules are those of a broker's {@code FetchSession} and
 * {@code IncrementalFetchContext}:
 * <ul>
 * <li>a request names only its changes; forgotten partitions are removed after new ones are added;
 * <li>an answer names a partition if it has records, an error, a diverging epoch or a preferred replica, or if the high
 *     watermark or the log start differs from the last one sent;
 * <li>partitions are served in the order of addition, and one that yielded records moves to the end.
 * </ul>
 *
 * <p>In contrast to a broker's session it belongs to one connection and ends with it. Confined to its event loop;
 * allocates only to grow and for new partitions.
 */
final class IncrementalSession {
    static final int FIRST_EPOCH = 1;
    private static final long UNTOLD = -1;

    /** One partition. */
    private static final class Member {
        final PartitionKey key;
        int entry;
        long highWatermark = UNTOLD;
        long logStartOffset = UNTOLD;

        Member(PartitionKey key, int entry) {
            this.key = key;
            this.entry = entry;
        }
    }

    final int id;
    /** Time of last use, of {@link FetchSessions}. */
    long usedAtNs;
    /** Of {@link FetchSessions}. */
    long chargedBytes;

    private final boolean byTopicId;
    private final int mostPartitions;
    private final Map<PartitionKey, Member> byKey = new HashMap<>();
    private final PartitionKey probe = new PartitionKey();
    private final FetchPartitions forgotten = new FetchPartitions();
    /** The partitions that the client fetches now. */
    FetchPartitions partitions = new FetchPartitions();

    private Member[] members = new Member[8];
    /** Their entries in the order of serving. */
    int[] order = new int[8];

    private int[] later = new int[8];
    private int nextEpoch = FIRST_EPOCH;

    /** A session without partitions. */
    IncrementalSession(int id, boolean byTopicId, int mostPartitions) {
        this.id = id;
        this.byTopicId = byTopicId;
        this.mostPartitions = mostPartitions;
        partitions.own();
    }

    boolean isEmpty() {
        return partitions.count == 0;
    }

    /** Adds the partitions of a request, or changes what is asked of them. */
    void add(FetchPartitions asked) {
        for (int i = 0; i < asked.count; i++) {
            put(asked, i);
        }
    }

    /**
     * Applies an incremental request; no change if the result is an error. {@link Errors#FETCH_SESSION_ID_NOT_FOUND}:
     * the session would have too many partitions.
     */
    Errors update(FetchRequestView request) {
        if (request.sessionEpoch != nextEpoch) {
            return Errors.INVALID_FETCH_SESSION_EPOCH;
        } else if (byTopicId != request.version >= 13) {
            return Errors.FETCH_SESSION_TOPIC_ID_ERROR;
        }
        add(request.partitions);
        if (request.forgottenPartitions > 0) {
            request.addForgotten(forgotten);
            for (int i = 0; i < forgotten.count; i++) {
                remove(byKey.remove(probe.of(forgotten, i)));
            }
            dropTopics();
        }
        nextEpoch = nextEpoch == Integer.MAX_VALUE ? FIRST_EPOCH : nextEpoch + 1;
        return partitions.count > mostPartitions ? Errors.FETCH_SESSION_ID_NOT_FOUND : Errors.NONE;
    }

    private void put(FetchPartitions asked, int i) {
        Member member = byKey.get(probe.of(asked, i));
        if (member != null) {
            partitions.ask(member.entry, asked, i);
            return;
        }
        int entry = partitions.append(asked, i);
        if (entry == members.length) {
            members = Arrays.copyOf(members, 2 * entry);
            order = Arrays.copyOf(order, 2 * entry);
            later = Arrays.copyOf(later, 2 * entry);
        }
        members[entry] = new Member(probe.copy(), entry);
        byKey.put(members[entry].key, members[entry]);
        order[entry] = entry;
    }

    /** The last entry takes the number of the removed one, and keeps its turn. */
    private void remove(Member member) {
        if (member == null) {
            return;
        }
        int last = partitions.count - 1;
        int kept = 0;
        for (int k = 0; k <= last; k++) {
            if (order[k] != member.entry) {
                order[kept++] = order[k] == last ? member.entry : order[k];
            }
        }
        partitions.removeSwapping(member.entry);
        members[member.entry] = members[last];
        members[member.entry].entry = member.entry;
        members[last] = null;
    }

    /** Removes topics without partitions when there are many. */
    private void dropTopics() {
        if (partitions.topicCount <= 2 * partitions.count + 16) {
            return;
        }
        FetchPartitions fresh = new FetchPartitions();
        fresh.own();
        for (int i = 0; i < partitions.count; i++) {
            fresh.append(partitions, i);
        }
        partitions = fresh;
    }

    /** Records what the full answer that opens the session states of an entry. */
    void tell(int entry, long highWatermark, long logStartOffset) {
        members[entry].highWatermark = highWatermark;
        members[entry].logStartOffset = logStartOffset;
    }

    /** Whether an incremental answer must name the entry; if so, records the values as sent. */
    boolean mustTell(int entry, long highWatermark, long logStartOffset, int recordBytes) {
        return mustTell(members[entry], highWatermark, logStartOffset, recordBytes);
    }

    private static boolean mustTell(Member member, long highWatermark, long logStartOffset, int recordBytes) {
        boolean changed = member.highWatermark != highWatermark || member.logStartOffset != logStartOffset;
        member.highWatermark = highWatermark;
        member.logStartOffset = logStartOffset;
        return changed || recordBytes > 0;
    }

    /**
     * Whether an incremental answer must name a partition, given a broker's answer; if so, records it as sent, and its
     * bytes in {@code served}.
     */
    boolean mustTell(FetchPartitions answered, int i, FetchResponseView answer, int[] served) {
        Member member = byKey.get(probe.of(answered, i));
        if (member == null) {
            return false;
        }
        served[member.entry] = answer.recordBytes;
        boolean tell = mustTell(member, answer.highWatermark, answer.logStartOffset, answer.recordBytes);
        if (answer.partitionError != Errors.NONE.code()) {
            // So that the partition is named when the error is gone.
            member.highWatermark = UNTOLD;
            return true;
        }
        return tell || answer.hasDivergingEpoch || answer.hasPreferredReplica;
    }

    /** Records an incremental answer with these bytes of records per entry. */
    void served(int[] recordBytes) {
        int entries = partitions.count;
        int kept = 0;
        int moved = 0;
        for (int k = 0; k < entries; k++) {
            int entry = order[k];
            if (recordBytes[entry] > 0) {
                later[moved++] = entry;
            } else {
                order[kept++] = entry;
            }
        }
        System.arraycopy(later, 0, order, kept, moved);
    }
}
