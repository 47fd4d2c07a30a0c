// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.util.List;
import org.apache.kafka.common.Uuid;

/**
 * What a proxy asks of the plugin on the control channel; tables in docs/protocol.md. The components of a record, in
 * their order, are its fields on the wire.
 */
public sealed interface ControlRequest {
    /**
     * Must be the first message of a connection, unless it authenticates first. {@code proxyId} is for logs and metrics
     * only.
     */
    record Hello(String proxyId, String proxyVersion) implements ControlRequest {}

    /** Asks for a link: one queue pair with its rings and slot table. A proxy opens one for each of its event loops. */
    record OpenLink(int replyRingBytes, int credits) implements ControlRequest {}

    /** Sent when the queue pair is connected and the reply ring exported to it. */
    record AttachLink(int linkId, RemoteMemory replyRing) implements ControlRequest {}

    /** Asks for a nonce with which the broker will recognise the client's own connection. */
    record BeginSession(int linkId) implements ControlRequest {}

    /** Sent after the broker answered the ApiVersions request that carried the nonce. */
    record ConfirmSession(int linkId, String nonce) implements ControlRequest {
        /** Without the nonce; so it is with the keys of memory below: messages get into logs. */
        @Override
        public String toString() {
            return "ConfirmSession[linkId=" + linkId + "]";
        }
    }

    /** The client's connection is gone. */
    record CloseSession(int linkId, int sessionId) implements ControlRequest {}

    /**
     * Asks where a consumer's next byte is, and for leave to read there. Topic by id, or by name if {@code topicId} is
     * {@link Uuid#ZERO_UUID}. Epochs are -1 if the client gave none.
     */
    record Locate(
            int linkId,
            int sessionId,
            Uuid topicId,
            @Nullable String topic,
            int partition,
            long fetchOffset,
            int currentLeaderEpoch,
            int lastFetchedEpoch)
            implements ControlRequest {}

    /** This link no longer reads the segment region of that rkey. */
    record ReleaseSegment(int linkId, int rkey) implements ControlRequest {
        @Override
        public String toString() {
            return "ReleaseSegment[linkId=" + linkId + "]";
        }
    }

    /** This session no longer reads the partition in that slot. */
    record ReleaseSlot(int linkId, int sessionId, int slot, int generation) implements ControlRequest {}

    /**
     * What this proxy served since its last report. Sessions are named if the broker limits consumers, or to learn
     * whether it does; at most {@link #MOST_ENTRIES} of either kind.
     */
    record ReportReads(int linkId, List<PartitionReads> slots, List<SessionReads> sessions) implements ControlRequest {
        public static final int MOST_ENTRIES = 1024;
    }

    /** Of one partition: bytes of records served, and how many Fetch requests named it. */
    record PartitionReads(int slot, int generation, long recordBytes, int fetches) {}

    /** Of one client connection: bytes of the answers to its Fetch requests; may be 0. */
    record SessionReads(int sessionId, long responseBytes) {}

    /**
     * Asks for the aborted transactions that a read_committed reader of that segment must know, from
     * {@code fetchOffset} on. The slot of that generation must have been granted to the session.
     */
    record ListAborted(int linkId, int sessionId, int slot, int generation, long segmentBaseOffset, long fetchOffset)
            implements ControlRequest {}

    /** First of a connection to a plugin with a secret: the proxy's nonce, {@link ControlSecret#newNonce}. */
    record Challenge(String nonce) implements ControlRequest {
        @Override
        public String toString() {
            return "Challenge[]";
        }
    }

    /** The proxy's proof, {@link ControlSecret#proof}; Hello is next. */
    record Authenticate(String proof) implements ControlRequest {
        @Override
        public String toString() {
            return "Authenticate[]";
        }
    }
}
