package io.slipstream.protocol.control;

import static io.slipstream.protocol.control.ControlFields.memory;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.Struct;

/** Between request records and the values of their schema. */
final class RequestStructs {
    private RequestStructs() {}

    static Object[] values(ControlRequest request) {
        if (request instanceof ControlRequest.Hello m) {
            return new Object[] {m.proxyId(), m.proxyVersion()};
        } else if (request instanceof ControlRequest.OpenLink m) {
            return new Object[] {m.replyRingBytes(), m.credits()};
        } else if (request instanceof ControlRequest.AttachLink m) {
            return new Object[] {m.linkId(), m.replyRing()};
        } else if (request instanceof ControlRequest.BeginSession m) {
            return new Object[] {m.linkId()};
        } else if (request instanceof ControlRequest.ConfirmSession m) {
            return new Object[] {m.linkId(), m.nonce()};
        } else if (request instanceof ControlRequest.CloseSession m) {
            return new Object[] {m.linkId(), m.sessionId()};
        } else if (request instanceof ControlRequest.Locate m) {
            return new Object[] {
                m.linkId(),
                m.sessionId(),
                m.topicId(),
                m.topic(),
                m.partition(),
                m.fetchOffset(),
                m.currentLeaderEpoch(),
                m.lastFetchedEpoch()
            };
        } else if (request instanceof ControlRequest.ReleaseSegment m) {
            return new Object[] {m.linkId(), m.rkey()};
        } else if (request instanceof ControlRequest.ReleaseSlot m) {
            return new Object[] {m.linkId(), m.sessionId(), m.slot(), m.generation()};
        } else if (request instanceof ControlRequest.PrepareLanding m) {
            return new Object[] {m.linkId(), m.sessionId(), m.topicId(), m.topic(), m.partition()};
        } else if (request instanceof ControlRequest.ExtendLanding m) {
            return new Object[] {m.linkId(), m.landingId(), m.position()};
        } else if (request instanceof ControlRequest.ReportReads m) {
            return ReadReports.values(m);
        } else if (request instanceof ControlRequest.ListAborted m) {
            return new Object[] {
                m.linkId(), m.sessionId(), m.slot(), m.generation(), m.segmentBaseOffset(), m.fetchOffset()
            };
        } else if (request instanceof ControlRequest.Challenge m) {
            return new Object[] {m.nonce()};
        } else if (request instanceof ControlRequest.Authenticate m) {
            return new Object[] {m.proof()};
        }
        throw new IllegalArgumentException("No schema for " + request);
    }

    static ControlRequest request(ControlApi api, Struct s) {
        return switch (api) {
            case HELLO -> new ControlRequest.Hello(s.getString("proxy_id"), s.getString("proxy_version"));
            case OPEN_LINK -> new ControlRequest.OpenLink(s.getInt("reply_ring_bytes"), s.getInt("credits"));
            case ATTACH_LINK -> new ControlRequest.AttachLink(s.getInt("link_id"), memory(s, "reply_ring"));
            case BEGIN_SESSION -> new ControlRequest.BeginSession(s.getInt("link_id"));
            case CONFIRM_SESSION -> new ControlRequest.ConfirmSession(s.getInt("link_id"), s.getString("nonce"));
            case CLOSE_SESSION -> new ControlRequest.CloseSession(s.getInt("link_id"), s.getInt("session_id"));
            case LOCATE ->
                new ControlRequest.Locate(
                        s.getInt("link_id"),
                        s.getInt("session_id"),
                        (Uuid) s.get("topic_id"),
                        s.getString("topic"),
                        s.getInt("partition"),
                        s.getLong("fetch_offset"),
                        s.getInt("current_leader_epoch"),
                        s.getInt("last_fetched_epoch"));
            case RELEASE_SEGMENT -> new ControlRequest.ReleaseSegment(s.getInt("link_id"), s.getInt("rkey"));
            case RELEASE_SLOT ->
                new ControlRequest.ReleaseSlot(
                        s.getInt("link_id"), s.getInt("session_id"), s.getInt("slot"), s.getInt("generation"));
            case PREPARE_LANDING ->
                new ControlRequest.PrepareLanding(
                        s.getInt("link_id"),
                        s.getInt("session_id"),
                        (Uuid) s.get("topic_id"),
                        s.getString("topic"),
                        s.getInt("partition"));
            case EXTEND_LANDING ->
                new ControlRequest.ExtendLanding(s.getInt("link_id"), s.getInt("landing_id"), s.getInt("position"));
            case REPORT_READS -> ReadReports.request(s);
            case LIST_ABORTED ->
                new ControlRequest.ListAborted(
                        s.getInt("link_id"),
                        s.getInt("session_id"),
                        s.getInt("slot"),
                        s.getInt("generation"),
                        s.getLong("segment_base_offset"),
                        s.getLong("fetch_offset"));
            case CHALLENGE -> new ControlRequest.Challenge(s.getString("nonce"));
            case AUTHENTICATE -> new ControlRequest.Authenticate(s.getString("proof"));
        };
    }
}
