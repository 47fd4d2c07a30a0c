// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.util.List;
import org.apache.kafka.common.Uuid;

/** The plugin's answers. A refusal has {@code error != NONE}, a message for operators, and otherwise default fields. */
public sealed interface ControlResponse {
    ControlError error();

    String message();

    /**
     * @param bootId random for each start of the broker; also in the slot table's header
     * @param provider provider of the data path, {@code shm} or {@code verbs}
     * @param address what to connect the queue pair to
     * @param leaseMs how long a slot table may be trusted after its heartbeat last moved
     * @param maxFrameBytes largest request that fits the ring
     * @param fetchMaxBytes the broker's {@code fetch.max.bytes}
     * @param replicaSelector whether the broker has a replica selector (consumers with a rack then belong on TCP)
     */
    record Hello(
            ControlError error,
            String message,
            String clusterId,
            int nodeId,
            long bootId,
            String provider,
            String address,
            int leaseMs,
            int maxFrameBytes,
            int fetchMaxBytes,
            boolean replicaSelector)
            implements ControlResponse {}

    /** {@code token} is the private data (8 bytes, big-endian) with which to connect the queue pair. */
    record OpenLink(ControlError error, String message, int linkId, long token) implements ControlResponse {
        /** Without the token, which opens the link; so it is with nonces and keys of memory below. */
        @Override
        public String toString() {
            return "OpenLink[error=" + error + ", message=" + message + ", linkId=" + linkId + "]";
        }
    }

    /**
     * @param requestRing where request frames are written (REMOTE_WRITE)
     * @param slotTable read-only slot table (REMOTE_READ), {@code slotCount} slots after a header
     * @param armTable one 8-byte word for each slot (REMOTE_WRITE)
     * @param controlWord the 8-byte word (REMOTE_WRITE) into which the proxy writes how far it has consumed the reply
     *     ring
     * @param credits most request frames in flight
     */
    record AttachLink(
            ControlError error,
            String message,
            RemoteMemory requestRing,
            RemoteMemory slotTable,
            RemoteMemory armTable,
            RemoteMemory controlWord,
            int slotCount,
            int credits)
            implements ControlResponse {}

    record BeginSession(ControlError error, String message, String nonce) implements ControlResponse {
        @Override
        public String toString() {
            return "BeginSession[error=" + error + ", message=" + message + "]";
        }
    }

    record ConfirmSession(ControlError error, String message, int sessionId) implements ControlResponse {}

    record CloseSession(ControlError error, String message) implements ControlResponse {}

    /**
     * @param slot index in the link's slot table
     * @param generation the slot's generation; a slot with another generation is not this partition's any more
     * @param segmentBaseOffset base offset of the segment that holds the fetch offset
     * @param position byte position, in that segment, of the first batch whose last offset is at or after the fetch
     *     offset
     * @param segment the segment's region, already exported to the link's queue pair
     * @param sealedBytes the segment's final size if it is no longer appended to, else -1
     */
    record Locate(
            ControlError error,
            String message,
            Uuid topicId,
            @Nullable String topic,
            int slot,
            int generation,
            long segmentBaseOffset,
            int position,
            RemoteMemory segment,
            int sealedBytes)
            implements ControlResponse {}

    record ReleaseSegment(ControlError error, String message) implements ControlResponse {}

    record ReleaseSlot(ControlError error, String message) implements ControlResponse {}

    /**
     * @param limiting whether the broker limits the byte rate of any consumer: if not, sessions need not be reported
     * @param allowances of the sessions that the report named, in its order
     */
    record ReportReads(ControlError error, String message, boolean limiting, List<ReadAllowance> allowances)
            implements ControlResponse {}

    /**
     * How many bytes the session may be served, from when the proxy asked and for {@link #GOOD_FOR_MS}, before it
     * reports again.
     */
    record ReadAllowance(int sessionId, long bytes) {
        /** This session is not limited. */
        public static final long NO_LIMIT = -1;

        public static final int GOOD_FOR_MS = 5_000;
    }

    /**
     * @param completeTo all aborted transactions that overlap offsets {@code [fetchOffset, completeTo)} of the segment
     *     are listed, those included that will be indexed later; {@code Long.MAX_VALUE} up to the segment's end
     * @param completeToBytes and up to which position of the segment a read may end so that the list is also a
     *     broker's, which lists some transactions beyond the records; {@code Integer.MAX_VALUE} up to the segment's end
     * @param whole whether all that overlap the segment from the fetch offset on and were indexed are listed: then the
     *     list is complete up to any last stable offset that the slot shows together with this {@code abortedCount}
     * @param abortedCount the slot's, of before the transactions were collected
     * @param transactions in the broker's order; at most {@link #MOST_TRANSACTIONS}
     */
    record ListAborted(
            ControlError error,
            String message,
            long completeTo,
            int completeToBytes,
            boolean whole,
            int abortedCount,
            List<AbortedTransaction> transactions)
            implements ControlResponse {
        /** What bounds answer and reader: 28 KiB in a frame. */
        public static final int MOST_TRANSACTIONS = 1024;
    }

    /** The plugin's nonce. */
    record Challenge(ControlError error, String message, String nonce) implements ControlResponse {
        @Override
        public String toString() {
            return "Challenge[error=" + error + ", message=" + message + "]";
        }
    }

    /** The broker's proof, given only to a proxy whose own was right. */
    record Authenticate(ControlError error, String message, String proof) implements ControlResponse {
        @Override
        public String toString() {
            return "Authenticate[error=" + error + ", message=" + message + "]";
        }
    }
}
