package io.slipstream.protocol.control;

import static io.slipstream.protocol.control.ControlFields.struct;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;

/** Schemas of ReportReads, and its messages as structs of them. */
final class ReadReports {
    private static final Schema SLOT = new Schema(
            new Field("slot", Type.INT32),
            new Field("generation", Type.INT32),
            new Field("record_bytes", Type.INT64),
            new Field("fetches", Type.INT32));
    private static final Schema SESSION =
            new Schema(new Field("session_id", Type.INT32), new Field("response_bytes", Type.INT64));
    private static final Schema ALLOWANCE =
            new Schema(new Field("session_id", Type.INT32), new Field("bytes", Type.INT64));

    static final Schema REQUEST = new Schema(
            new Field("link_id", Type.INT32),
            new Field("slots", new ArrayOf(SLOT)),
            new Field("sessions", new ArrayOf(SESSION)));
    static final Schema RESULT =
            new Schema(new Field("limiting", Type.BOOLEAN), new Field("allowances", new ArrayOf(ALLOWANCE)));

    private ReadReports() {}

    static Object[] values(ControlRequest.ReportReads report) {
        Object[] slots = report.slots().stream()
                .map(s -> struct(SLOT, s.slot(), s.generation(), s.recordBytes(), s.fetches()))
                .toArray();
        Object[] sessions = report.sessions().stream()
                .map(s -> struct(SESSION, s.sessionId(), s.responseBytes()))
                .toArray();
        return new Object[] {report.linkId(), slots, sessions};
    }

    static ControlRequest.ReportReads request(Struct report) {
        List<ControlRequest.PartitionReads> slots = new ArrayList<>();
        for (Object entry : report.getArray("slots")) {
            Struct s = (Struct) entry;
            slots.add(new ControlRequest.PartitionReads(
                    s.getInt("slot"), s.getInt("generation"), s.getLong("record_bytes"), s.getInt("fetches")));
        }
        List<ControlRequest.SessionReads> sessions = new ArrayList<>();
        for (Object entry : report.getArray("sessions")) {
            Struct s = (Struct) entry;
            sessions.add(new ControlRequest.SessionReads(s.getInt("session_id"), s.getLong("response_bytes")));
        }
        return new ControlRequest.ReportReads(report.getInt("link_id"), slots, sessions);
    }

    static Object[] values(ControlResponse.ReportReads answer) {
        Object[] allowances = answer.allowances().stream()
                .map(a -> struct(ALLOWANCE, a.sessionId(), a.bytes()))
                .toArray();
        return new Object[] {answer.limiting(), allowances};
    }

    static ControlResponse.ReportReads response(String message, Struct answer) {
        List<ControlResponse.ReadAllowance> allowances = new ArrayList<>();
        for (Object entry : answer.getArray("allowances")) {
            Struct s = (Struct) entry;
            allowances.add(new ControlResponse.ReadAllowance(s.getInt("session_id"), s.getLong("bytes")));
        }
        return new ControlResponse.ReportReads(
                ControlError.NONE, message, (Boolean) answer.get("limiting"), allowances);
    }
}
