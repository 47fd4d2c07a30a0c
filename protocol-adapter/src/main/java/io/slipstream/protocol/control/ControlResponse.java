// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * Answers of the plugin. A refusal has {@code error != NONE}, a message for operators, and default values otherwise.
 */
public sealed interface ControlResponse {
    ControlError error();

    String message();

    /**
     * @param message without an error: the name of what the request ring carries beside Produce, {@code RingApis}; null
     *     in older releases, whose rings carry nothing else
     * @param bootId random for each start of the broker; also in the slot table's header
     * @param provider provider of the data path, {@code shm} or {@code verbs}
     * @param address the address to which the proxy connects the queue pair
     * @param leaseMs how long the slot table is valid after its last heartbeat, in milliseconds
     * @param maxFrameBytes largest request that fits the request ring
     * @param fetchMaxBytes the broker's {@code fetch.max.bytes}
     * @param replicaSelector whether the broker has a replica selector; consumers with a rack must then use TCP
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

    /** {@code token} is the private data (8 bytes, big-endian) of the queue pair's connection request. */
    record OpenLink(ControlError error, String message, int linkId, long token) implements ControlResponse {
        /**
         * Omits the token, which opens the link; the messages below omit nonces and memory keys for the same reason.
         */
        @Override
        public String toString() {
            return "OpenLink[error=" + error + ", message=" + message + ", linkId=" + linkId + "]";
        }
    }

    /**
     * @param requestRing the proxy writes request frames here (REMOTE_WRITE)
     * @param slotTable read-only slot table (REMOTE_READ), {@code slotCount} slots after a header
     * @param armTable one 8-byte word per slot (REMOTE_WRITE)
     * @param controlWord 8-byte word (REMOTE_WRITE) in which the proxy publishes its position in the reply ring
     * @param credits largest number of request frames in flight
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
     * @param generation the slot's generation; a slot with another generation belongs to another grant
     * @param segmentBaseOffset base offset of the segment that contains the fetch offset
     * @param position byte position, in that segment, of the first batch whose last offset is at or after the fetch
     *     offset
     * @param segment the segment's region, already exported to the link's queue pair
     * @param sealedBytes the segment's final size in bytes if it is no longer appended to, else -1
     */
    record Locate(
            ControlError error,
            String message,
            Uuid topicId,
            @RecordSchema.Nullable String topic,
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
     * @param limiting whether the broker limits the byte rate of any consumer; if not, sessions need not be reported
     * @param allowances allowances of the reported sessions, in the order of the report
     */
    record ReportReads(ControlError error, String message, boolean limiting, List<ReadAllowance> allowances)
            implements ControlResponse {}

    /**
     * Bytes that the session may receive before its next report; valid for {@link #GOOD_FOR_MS} from the proxy's
     * request on.
     */
    record ReadAllowance(int sessionId, long bytes) {
        /** This session is not limited. */
        public static final long NO_LIMIT = -1;

        public static final int GOOD_FOR_MS = 5_000;
    }

    /**
     * @param completeTo the list has all aborted transactions that overlap offsets {@code [fetchOffset, completeTo)} of
     *     the segment, including those indexed later; {@code Long.MAX_VALUE}: up to the segment's end
     * @param completeToBytes largest segment position at which a read may end so that the list equals a broker's, which
     *     also lists some transactions beyond the records; {@code Integer.MAX_VALUE}: up to the segment's end
     * @param whole whether the list has all indexed transactions that overlap the segment from the fetch offset on. It
     *     is then complete up to any last stable offset that the slot shows together with this {@code abortedCount}
     * @param abortedCount the slot's count, read before the transactions were collected
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
        /** Bounds the answer (28 KiB in a frame) and the memory of its reader. */
        public static final int MOST_TRANSACTIONS = 1024;
    }

    /** The plugin's nonce. */
    record Challenge(ControlError error, String message, String nonce) implements ControlResponse {
        @Override
        public String toString() {
            return "Challenge[error=" + error + ", message=" + message + "]";
        }
    }

    /** The broker's proof; sent only after the proxy's proof was correct. */
    record Authenticate(ControlError error, String message, String proof) implements ControlResponse {
        @Override
        public String toString() {
            return "Authenticate[error=" + error + ", message=" + message + "]";
        }
    }
}
