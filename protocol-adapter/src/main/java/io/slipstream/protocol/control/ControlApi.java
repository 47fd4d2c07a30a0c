package io.slipstream.protocol.control;

import static io.slipstream.protocol.control.ControlFields.*;

import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.Schema;

/**
 * The messages of the control channel: key, supported versions, and for each version the schema of the request's body and of
 * the response's result (what follows error and message in a response without error).
 */
public enum ControlApi {
    HELLO(0, new Schema[] {HELLO_REQUEST}, new Schema[] {HELLO_RESULT}),
    OPEN_LINK(1, new Schema[] {OPEN_LINK_REQUEST}, new Schema[] {OPEN_LINK_RESULT}),
    ATTACH_LINK(2, new Schema[] {ATTACH_LINK_REQUEST}, new Schema[] {ATTACH_LINK_RESULT}),
    BEGIN_SESSION(3, new Schema[] {BEGIN_SESSION_REQUEST}, new Schema[] {BEGIN_SESSION_RESULT}),
    CONFIRM_SESSION(4, new Schema[] {CONFIRM_SESSION_REQUEST}, new Schema[] {CONFIRM_SESSION_RESULT}),
    CLOSE_SESSION(5, new Schema[] {CLOSE_SESSION_REQUEST}, new Schema[] {NO_RESULT}),
    LOCATE(6, new Schema[] {LOCATE_REQUEST}, new Schema[] {LOCATE_RESULT}),
    RELEASE_SEGMENT(7, new Schema[] {RELEASE_SEGMENT_REQUEST}, new Schema[] {NO_RESULT}),
    RELEASE_SLOT(8, new Schema[] {RELEASE_SLOT_REQUEST}, new Schema[] {NO_RESULT}),
    PREPARE_LANDING(9, new Schema[] {PREPARE_LANDING_REQUEST}, new Schema[] {PREPARE_LANDING_RESULT}),
    EXTEND_LANDING(10, new Schema[] {EXTEND_LANDING_REQUEST}, new Schema[] {EXTEND_LANDING_RESULT}),
    REPORT_READS(11, new Schema[] {ReadReports.REQUEST}, new Schema[] {ReadReports.RESULT}),
    LIST_ABORTED(12, new Schema[] {LIST_ABORTED_REQUEST}, new Schema[] {LIST_ABORTED_RESULT}),
    CHALLENGE(13, new Schema[] {NONCE}, new Schema[] {NONCE}),
    AUTHENTICATE(14, new Schema[] {PROOF}, new Schema[] {PROOF});

    private static final ControlApi[] BY_KEY = values();

    private final short key;
    private final Schema[] requestSchemas;
    private final Schema[] resultSchemas;

    ControlApi(int key, Schema[] requestSchemas, Schema[] resultSchemas) {
        this.key = (short) key;
        this.requestSchemas = requestSchemas;
        this.resultSchemas = resultSchemas;
    }

    public short key() {
        return key;
    }

    public short oldestVersion() {
        return 0;
    }

    public short latestVersion() {
        return (short) (requestSchemas.length - 1);
    }

    public boolean isVersionSupported(short version) {
        return version >= oldestVersion() && version <= latestVersion();
    }

    Schema requestSchema(short version) {
        return requestSchemas[version];
    }

    Schema resultSchema(short version) {
        return resultSchemas[version];
    }

    /** The api of that key, or null. */
    public static ControlApi ofKey(short key) {
        return key >= 0 && key < BY_KEY.length ? BY_KEY[key] : null;
    }

    public static ControlApi of(ControlRequest request) {
        if (request instanceof ControlRequest.Hello) {
            return HELLO;
        } else if (request instanceof ControlRequest.OpenLink) {
            return OPEN_LINK;
        } else if (request instanceof ControlRequest.AttachLink) {
            return ATTACH_LINK;
        } else if (request instanceof ControlRequest.BeginSession) {
            return BEGIN_SESSION;
        } else if (request instanceof ControlRequest.ConfirmSession) {
            return CONFIRM_SESSION;
        } else if (request instanceof ControlRequest.CloseSession) {
            return CLOSE_SESSION;
        } else if (request instanceof ControlRequest.Locate) {
            return LOCATE;
        } else if (request instanceof ControlRequest.ReleaseSegment) {
            return RELEASE_SEGMENT;
        } else if (request instanceof ControlRequest.ReleaseSlot) {
            return RELEASE_SLOT;
        } else if (request instanceof ControlRequest.PrepareLanding) {
            return PREPARE_LANDING;
        } else if (request instanceof ControlRequest.ExtendLanding) {
            return EXTEND_LANDING;
        } else if (request instanceof ControlRequest.ReportReads) {
            return REPORT_READS;
        } else if (request instanceof ControlRequest.ListAborted) {
            return LIST_ABORTED;
        } else if (request instanceof ControlRequest.Challenge) {
            return CHALLENGE;
        } else if (request instanceof ControlRequest.Authenticate) {
            return AUTHENTICATE;
        }
        throw new IllegalArgumentException("No api for " + request);
    }

    public static ControlApi of(ControlResponse response) {
        if (response instanceof ControlResponse.Hello) {
            return HELLO;
        } else if (response instanceof ControlResponse.OpenLink) {
            return OPEN_LINK;
        } else if (response instanceof ControlResponse.AttachLink) {
            return ATTACH_LINK;
        } else if (response instanceof ControlResponse.BeginSession) {
            return BEGIN_SESSION;
        } else if (response instanceof ControlResponse.ConfirmSession) {
            return CONFIRM_SESSION;
        } else if (response instanceof ControlResponse.CloseSession) {
            return CLOSE_SESSION;
        } else if (response instanceof ControlResponse.Locate) {
            return LOCATE;
        } else if (response instanceof ControlResponse.ReleaseSegment) {
            return RELEASE_SEGMENT;
        } else if (response instanceof ControlResponse.ReleaseSlot) {
            return RELEASE_SLOT;
        } else if (response instanceof ControlResponse.PrepareLanding) {
            return PREPARE_LANDING;
        } else if (response instanceof ControlResponse.ExtendLanding) {
            return EXTEND_LANDING;
        } else if (response instanceof ControlResponse.ReportReads) {
            return REPORT_READS;
        } else if (response instanceof ControlResponse.ListAborted) {
            return LIST_ABORTED;
        } else if (response instanceof ControlResponse.Challenge) {
            return CHALLENGE;
        } else if (response instanceof ControlResponse.Authenticate) {
            return AUTHENTICATE;
        }
        throw new IllegalArgumentException("No api for " + response);
    }

    /** A refusal of this api: the error, a message for operators (may be null), and default fields. */
    public ControlResponse refusal(ControlError error, String message) {
        if (error == ControlError.NONE) {
            throw new IllegalArgumentException("A refusal needs an error");
        }
        return switch (this) {
            case HELLO -> new ControlResponse.Hello(error, message, null, -1, 0, null, null, 0, 0, 0, false);
            case OPEN_LINK -> new ControlResponse.OpenLink(error, message, 0, 0);
            case ATTACH_LINK ->
                new ControlResponse.AttachLink(
                        error,
                        message,
                        RemoteMemory.NONE,
                        RemoteMemory.NONE,
                        RemoteMemory.NONE,
                        RemoteMemory.NONE,
                        0,
                        0);
            case BEGIN_SESSION -> new ControlResponse.BeginSession(error, message, null);
            case CONFIRM_SESSION -> new ControlResponse.ConfirmSession(error, message, 0);
            case CLOSE_SESSION -> new ControlResponse.CloseSession(error, message);
            case LOCATE ->
                new ControlResponse.Locate(error, message, Uuid.ZERO_UUID, null, -1, 0, -1, -1, RemoteMemory.NONE, -1);
            case RELEASE_SEGMENT -> new ControlResponse.ReleaseSegment(error, message);
            case RELEASE_SLOT -> new ControlResponse.ReleaseSlot(error, message);
            case PREPARE_LANDING ->
                new ControlResponse.PrepareLanding(
                        error, message, Uuid.ZERO_UUID, null, -1, RemoteMemory.NONE, RemoteMemory.NONE);
            case EXTEND_LANDING -> new ControlResponse.ExtendLanding(error, message, RemoteMemory.NONE);
            case REPORT_READS -> new ControlResponse.ReportReads(error, message, false, List.of());
            case LIST_ABORTED -> new ControlResponse.ListAborted(error, message, -1, -1, false, 0, List.of());
            case CHALLENGE -> new ControlResponse.Challenge(error, message, null);
            case AUTHENTICATE -> new ControlResponse.Authenticate(error, message, null);
        };
    }
}
