// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The messages of the control channel with their keys on the wire. Keys 9 and 10 are reserved: older releases used them
 * for a removed feature. This release rejects them as unknown, and no message may reuse them.
 */
public enum ControlApi {
    HELLO(0, ControlRequest.Hello.class, ControlResponse.Hello.class),
    OPEN_LINK(1, ControlRequest.OpenLink.class, ControlResponse.OpenLink.class),
    ATTACH_LINK(2, ControlRequest.AttachLink.class, ControlResponse.AttachLink.class),
    BEGIN_SESSION(3, ControlRequest.BeginSession.class, ControlResponse.BeginSession.class),
    CONFIRM_SESSION(4, ControlRequest.ConfirmSession.class, ControlResponse.ConfirmSession.class),
    CLOSE_SESSION(5, ControlRequest.CloseSession.class, ControlResponse.CloseSession.class),
    LOCATE(6, ControlRequest.Locate.class, ControlResponse.Locate.class),
    RELEASE_SEGMENT(7, ControlRequest.ReleaseSegment.class, ControlResponse.ReleaseSegment.class),
    RELEASE_SLOT(8, ControlRequest.ReleaseSlot.class, ControlResponse.ReleaseSlot.class),
    REPORT_READS(11, ControlRequest.ReportReads.class, ControlResponse.ReportReads.class),
    LIST_ABORTED(12, ControlRequest.ListAborted.class, ControlResponse.ListAborted.class),
    CHALLENGE(13, ControlRequest.Challenge.class, ControlResponse.Challenge.class),
    AUTHENTICATE(14, ControlRequest.Authenticate.class, ControlResponse.Authenticate.class);

    /** The only version of each message. */
    public static final short VERSION = 0;

    private static final Map<Short, ControlApi> BY_KEY =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(each -> each.key, Function.identity()));
    private static final Map<Class<?>, ControlApi> BY_REQUEST =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(api -> api.request, Function.identity()));
    private static final Map<Class<?>, ControlApi> BY_RESPONSE =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(api -> api.response, Function.identity()));

    public final short key;
    private final Class<? extends ControlRequest> request;
    private final Class<? extends ControlResponse> response;
    final RecordSchema requestSchema;
    /** Schema of the fields after error and message in a response without error. */
    final RecordSchema resultSchema;

    ControlApi(int key, Class<? extends ControlRequest> request, Class<? extends ControlResponse> response) {
        this.key = (short) key;
        this.request = request;
        this.response = response;
        this.requestSchema = new RecordSchema(request, 0);
        this.resultSchema = new RecordSchema(response, 2);
    }

    /** The message with that key, or null. */
    public static ControlApi ofKey(short key) {
        return BY_KEY.get(key);
    }

    /** Whether older releases had an api of that key. */
    static boolean isRetired(short key) {
        return key == 9 || key == 10;
    }

    public static ControlApi of(ControlRequest request) {
        return BY_REQUEST.get(request.getClass());
    }

    public static ControlApi of(ControlResponse response) {
        return BY_RESPONSE.get(response.getClass());
    }

    /** A refusal: the error, a message for operators (may be null), and no result. */
    public ControlResponse refusal(ControlError error, String message) {
        if (error == ControlError.NONE) {
            throw new IllegalArgumentException("A refusal needs an error");
        }
        return (ControlResponse) resultSchema.empty(error, message);
    }
}
