package io.slipstream.protocol.control;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;

/** Schemas of the control messages, version 0. Fields stand in the order of the records' components. */
final class ControlFields {
    static final Schema MEMORY =
            new Schema(field("address", Type.INT64), field("length_bytes", Type.INT64), field("rkey", Type.INT32));

    static final Schema HEADER =
            new Schema(field("api", Type.INT16), field("version", Type.INT16), field("correlation_id", Type.INT32));
    static final Schema OUTCOME = new Schema(field("error", Type.INT16), field("message", Type.NULLABLE_STRING));

    static final Schema HELLO_REQUEST = new Schema(field("proxy_id", Type.STRING), field("proxy_version", Type.STRING));
    static final Schema HELLO_RESULT = new Schema(
            field("cluster_id", Type.STRING),
            field("node_id", Type.INT32),
            field("boot_id", Type.INT64),
            field("provider", Type.STRING),
            field("address", Type.STRING),
            field("lease_ms", Type.INT32),
            field("max_frame_bytes", Type.INT32),
            field("fetch_max_bytes", Type.INT32),
            field("replica_selector", Type.BOOLEAN));

    static final Schema OPEN_LINK_REQUEST =
            new Schema(field("reply_ring_bytes", Type.INT32), field("credits", Type.INT32));
    static final Schema OPEN_LINK_RESULT = new Schema(field("link_id", Type.INT32), field("token", Type.INT64));

    static final Schema ATTACH_LINK_REQUEST = new Schema(field("link_id", Type.INT32), field("reply_ring", MEMORY));
    static final Schema ATTACH_LINK_RESULT = new Schema(
            field("request_ring", MEMORY),
            field("slot_table", MEMORY),
            field("arm_table", MEMORY),
            field("control_word", MEMORY),
            field("slot_count", Type.INT32),
            field("credits", Type.INT32));

    static final Schema BEGIN_SESSION_REQUEST = new Schema(field("link_id", Type.INT32));
    static final Schema BEGIN_SESSION_RESULT = new Schema(field("nonce", Type.STRING));

    static final Schema CONFIRM_SESSION_REQUEST = new Schema(field("link_id", Type.INT32), field("nonce", Type.STRING));
    static final Schema CONFIRM_SESSION_RESULT = new Schema(field("session_id", Type.INT32));

    static final Schema CLOSE_SESSION_REQUEST =
            new Schema(field("link_id", Type.INT32), field("session_id", Type.INT32));

    static final Schema LOCATE_REQUEST = new Schema(
            field("link_id", Type.INT32),
            field("session_id", Type.INT32),
            field("topic_id", Type.UUID),
            field("topic", Type.NULLABLE_STRING),
            field("partition", Type.INT32),
            field("fetch_offset", Type.INT64),
            field("current_leader_epoch", Type.INT32),
            field("last_fetched_epoch", Type.INT32));
    static final Schema LOCATE_RESULT = new Schema(
            field("topic_id", Type.UUID),
            field("topic", Type.NULLABLE_STRING),
            field("slot", Type.INT32),
            field("generation", Type.INT32),
            field("segment_base_offset", Type.INT64),
            field("position", Type.INT32),
            field("segment", MEMORY),
            field("sealed_bytes", Type.INT32));

    static final Schema RELEASE_SEGMENT_REQUEST = new Schema(field("link_id", Type.INT32), field("rkey", Type.INT32));
    static final Schema RELEASE_SLOT_REQUEST = new Schema(
            field("link_id", Type.INT32),
            field("session_id", Type.INT32),
            field("slot", Type.INT32),
            field("generation", Type.INT32));

    static final Schema PREPARE_LANDING_REQUEST = new Schema(
            field("link_id", Type.INT32),
            field("session_id", Type.INT32),
            field("topic_id", Type.UUID),
            field("topic", Type.NULLABLE_STRING),
            field("partition", Type.INT32));
    static final Schema PREPARE_LANDING_RESULT = new Schema(
            field("topic_id", Type.UUID),
            field("topic", Type.NULLABLE_STRING),
            field("landing_id", Type.INT32),
            field("window", MEMORY),
            field("word", MEMORY));
    static final Schema EXTEND_LANDING_REQUEST =
            new Schema(field("link_id", Type.INT32), field("landing_id", Type.INT32), field("position", Type.INT32));
    static final Schema EXTEND_LANDING_RESULT = new Schema(field("window", MEMORY));

    static final Schema LIST_ABORTED_REQUEST = new Schema(
            field("link_id", Type.INT32),
            field("session_id", Type.INT32),
            field("slot", Type.INT32),
            field("generation", Type.INT32),
            field("segment_base_offset", Type.INT64),
            field("fetch_offset", Type.INT64));
    static final Schema ABORTED_TRANSACTION = new Schema(
            field("producer_id", Type.INT64),
            field("first_offset", Type.INT64),
            field("last_offset", Type.INT64),
            field("listed_from_bytes", Type.INT32));
    static final Schema LIST_ABORTED_RESULT = new Schema(
            field("complete_to", Type.INT64),
            field("complete_to_bytes", Type.INT32),
            field("whole", Type.BOOLEAN),
            field("aborted_count", Type.INT32),
            field("transactions", new ArrayOf(ABORTED_TRANSACTION)));

    static final Schema NONCE = new Schema(field("nonce", Type.STRING));
    static final Schema PROOF = new Schema(field("proof", Type.STRING));

    static final Schema NO_RESULT = new Schema();

    private ControlFields() {}

    private static Field field(String name, Type type) {
        return new Field(name, type);
    }

    /** A struct of that schema whose fields are the values, in the schema's order. */
    static Struct struct(Schema schema, Object... values) {
        if (values.length != schema.numFields()) {
            throw new IllegalArgumentException(values.length + " values for " + schema.numFields() + " fields");
        }
        Struct struct = new Struct(schema);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            struct.set(
                    schema.get(i),
                    value instanceof RemoteMemory memory
                            ? struct(MEMORY, memory.address(), memory.lengthBytes(), memory.rkey())
                            : value);
        }
        return struct;
    }

    static Object[] abortedStructs(List<AbortedTransaction> transactions) {
        Object[] structs = new Object[transactions.size()];
        for (int i = 0; i < structs.length; i++) {
            AbortedTransaction t = transactions.get(i);
            structs[i] =
                    struct(ABORTED_TRANSACTION, t.producerId(), t.firstOffset(), t.lastOffset(), t.listedFromBytes());
        }
        return structs;
    }

    static List<AbortedTransaction> abortedTransactions(Struct struct) {
        Object[] structs = struct.getArray("transactions");
        List<AbortedTransaction> transactions = new ArrayList<>(structs.length);
        for (Object each : structs) {
            Struct s = (Struct) each;
            transactions.add(new AbortedTransaction(
                    s.getLong("producer_id"),
                    s.getLong("first_offset"),
                    s.getLong("last_offset"),
                    s.getInt("listed_from_bytes")));
        }
        return transactions;
    }

    static RemoteMemory memory(Struct struct, String name) {
        Struct memory = (Struct) struct.get(name);
        return new RemoteMemory(memory.getLong("address"), memory.getLong("length_bytes"), memory.getInt("rkey"));
    }
}
