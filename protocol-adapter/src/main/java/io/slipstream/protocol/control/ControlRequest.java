// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * Requests of the proxy to the plugin on the control channel; docs/protocol.md has the tables. The components of a
 * record, in their order, are its fields on the wire.
 */
public sealed interface ControlRequest {
    /**
     * First message of a connection, after authentication if that is required. {@code proxyId} is for logs and metrics
     * only.
     */
    record Hello(String proxyId, String proxyVersion) implements ControlRequest {}

    /** Requests a link: one queue pair with its rings and slot table. A proxy opens one per event loop. */
    record OpenLink(int replyRingBytes, int credits) implements ControlRequest {}

    /** Sent when the queue pair is connected and the reply ring is exported to it. */
    record AttachLink(int linkId, RemoteMemory replyRing) implements ControlRequest {}

    /** Requests a nonce by which the broker recognises the client's own connection. */
    record BeginSession(int linkId) implements ControlRequest {}

    /** Sent after the broker answered the ApiVersions request that carried the nonce. */
    record ConfirmSession(int linkId, String nonce) implements ControlRequest {
        /** Omits the nonce because messages are logged; the messages below omit memory keys for the same reason. */
        @Override
        public String toString() {
            return "ConfirmSession[linkId=" + linkId + "]";
        }
    }

    /** The client's connection is closed. */
    record CloseSession(int linkId, int sessionId) implements ControlRequest {}

    /**
     * Requests the position of a consumer's fetch offset and the permission to read there. The topic is given by id, or
     * by name if {@code topicId} is {@link Uuid#ZERO_UUID}. Epochs are -1 if the client gave none.
     */
    record Locate(
            int linkId,
            int sessionId,
            Uuid topicId,
            @RecordSchema.Nullable String topic,
            int partition,
            long fetchOffset,
            int currentLeaderEpoch,
            int lastFetchedEpoch)
            implements ControlRequest {}

    /** This link no longer reads the segment region with that rkey. */
    record ReleaseSegment(int linkId, int rkey) implements ControlRequest {
        @Override
        public String toString() {
            return "ReleaseSegment[linkId=" + linkId + "]";
        }
    }

    /** This session no longer reads the partition in that slot. */
    record ReleaseSlot(int linkId, int sessionId, int slot, int generation) implements ControlRequest {}

    /**
     * Reads that this proxy served since its last report. Sessions are listed if the broker limits consumers, or to
     * find out whether it does. Each list has at most {@link #MOST_ENTRIES} entries.
     */
    record ReportReads(int linkId, List<PartitionReads> slots, List<SessionReads> sessions) implements ControlRequest {
        public static final int MOST_ENTRIES = 1024;
    }

    /** Reads of one partition: bytes of records served, and the number of Fetch requests that named it. */
    record PartitionReads(int slot, int generation, long recordBytes, int fetches) {}

    /** Reads of one client connection: bytes of the answers to its Fetch requests; may be 0. */
    record SessionReads(int sessionId, long responseBytes) {}

    /**
     * Requests the aborted transactions that a read_committed reader of a segment needs, from {@code fetchOffset} on.
     * The slot of that generation must have been granted to the session.
     */
    record ListAborted(int linkId, int sessionId, int slot, int generation, long segmentBaseOffset, long fetchOffset)
            implements ControlRequest {}

    /** First message of a connection to a plugin with a secret: the proxy's nonce, {@link ControlSecret#newNonce}. */
    record Challenge(String nonce) implements ControlRequest {
        @Override
        public String toString() {
            return "Challenge[]";
        }
    }

    /** The proxy's proof, {@link ControlSecret#proof}; Hello follows. */
    record Authenticate(String proof) implements ControlRequest {
        @Override
        public String toString() {
            return "Authenticate[]";
        }
    }
}
