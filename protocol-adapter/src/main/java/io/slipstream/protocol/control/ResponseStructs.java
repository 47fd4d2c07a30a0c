package io.slipstream.protocol.control;

import static io.slipstream.protocol.control.ControlFields.abortedStructs;
import static io.slipstream.protocol.control.ControlFields.abortedTransactions;
import static io.slipstream.protocol.control.ControlFields.memory;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.Struct;

/** Between response records without error and the values of their result schema. */
final class ResponseStructs {
    private ResponseStructs() {}

    static Object[] values(ControlResponse response) {
        if (response instanceof ControlResponse.Hello m) {
            return new Object[] {
                m.clusterId(),
                m.nodeId(),
                m.bootId(),
                m.provider(),
                m.address(),
                m.leaseMs(),
                m.maxFrameBytes(),
                m.fetchMaxBytes(),
                m.replicaSelector()
            };
        } else if (response instanceof ControlResponse.OpenLink m) {
            return new Object[] {m.linkId(), m.token()};
        } else if (response instanceof ControlResponse.AttachLink m) {
            return new Object[] {
                m.requestRing(), m.slotTable(), m.armTable(), m.controlWord(), m.slotCount(), m.credits()
            };
        } else if (response instanceof ControlResponse.BeginSession m) {
            return new Object[] {m.nonce()};
        } else if (response instanceof ControlResponse.ConfirmSession m) {
            return new Object[] {m.sessionId()};
        } else if (response instanceof ControlResponse.Locate m) {
            return new Object[] {
                m.topicId(),
                m.topic(),
                m.slot(),
                m.generation(),
                m.segmentBaseOffset(),
                m.position(),
                m.segment(),
                m.sealedBytes()
            };
        } else if (response instanceof ControlResponse.PrepareLanding m) {
            return new Object[] {m.topicId(), m.topic(), m.landingId(), m.window(), m.word()};
        } else if (response instanceof ControlResponse.ExtendLanding m) {
            return new Object[] {m.window()};
        } else if (response instanceof ControlResponse.ReportReads m) {
            return ReadReports.values(m);
        } else if (response instanceof ControlResponse.ListAborted m) {
            return new Object[] {
                m.completeTo(), m.completeToBytes(), m.whole(), m.abortedCount(), abortedStructs(m.transactions())
            };
        } else if (response instanceof ControlResponse.Challenge m) {
            return new Object[] {m.nonce()};
        } else if (response instanceof ControlResponse.Authenticate m) {
            return new Object[] {m.proof()};
        }
        return new Object[0];
    }

    /** A response with {@link ControlError#NONE}; a message may still come along. */
    static ControlResponse response(ControlApi api, String message, Struct s) {
        ControlError none = ControlError.NONE;
        return switch (api) {
            case HELLO ->
                new ControlResponse.Hello(
                        none,
                        message,
                        s.getString("cluster_id"),
                        s.getInt("node_id"),
                        s.getLong("boot_id"),
                        s.getString("provider"),
                        s.getString("address"),
                        s.getInt("lease_ms"),
                        s.getInt("max_frame_bytes"),
                        s.getInt("fetch_max_bytes"),
                        (Boolean) s.get("replica_selector"));
            case OPEN_LINK -> new ControlResponse.OpenLink(none, message, s.getInt("link_id"), s.getLong("token"));
            case ATTACH_LINK ->
                new ControlResponse.AttachLink(
                        none,
                        message,
                        memory(s, "request_ring"),
                        memory(s, "slot_table"),
                        memory(s, "arm_table"),
                        memory(s, "control_word"),
                        s.getInt("slot_count"),
                        s.getInt("credits"));
            case BEGIN_SESSION -> new ControlResponse.BeginSession(none, message, s.getString("nonce"));
            case CONFIRM_SESSION -> new ControlResponse.ConfirmSession(none, message, s.getInt("session_id"));
            case CLOSE_SESSION -> new ControlResponse.CloseSession(none, message);
            case LOCATE ->
                new ControlResponse.Locate(
                        none,
                        message,
                        (Uuid) s.get("topic_id"),
                        s.getString("topic"),
                        s.getInt("slot"),
                        s.getInt("generation"),
                        s.getLong("segment_base_offset"),
                        s.getInt("position"),
                        memory(s, "segment"),
                        s.getInt("sealed_bytes"));
            case RELEASE_SEGMENT -> new ControlResponse.ReleaseSegment(none, message);
            case RELEASE_SLOT -> new ControlResponse.ReleaseSlot(none, message);
            case PREPARE_LANDING ->
                new ControlResponse.PrepareLanding(
                        none,
                        message,
                        (Uuid) s.get("topic_id"),
                        s.getString("topic"),
                        s.getInt("landing_id"),
                        memory(s, "window"),
                        memory(s, "word"));
            case EXTEND_LANDING -> new ControlResponse.ExtendLanding(none, message, memory(s, "window"));
            case REPORT_READS -> ReadReports.response(message, s);
            case LIST_ABORTED ->
                new ControlResponse.ListAborted(
                        none,
                        message,
                        s.getLong("complete_to"),
                        s.getInt("complete_to_bytes"),
                        (Boolean) s.get("whole"),
                        s.getInt("aborted_count"),
                        abortedTransactions(s));
            case CHALLENGE -> new ControlResponse.Challenge(none, message, s.getString("nonce"));
            case AUTHENTICATE -> new ControlResponse.Authenticate(none, message, s.getString("proof"));
        };
    }
}
