package io.slipstream.broker.landing;

import io.slipstream.protocol.control.ControlRequest;
import java.nio.ByteBuffer;

/** The broker's partitions and records, as landing sees them; implemented by the adapter of each Kafka line. */
public interface LandableLogs {
    /** Why a topic is refused that the authorizer does not allow. */
    String NOT_AUTHORIZED = "not authorized";

    /**
     * Resolves the topic and authorizes WRITE for the session's principal.
     *
     * @param requestContext the session's {@code RequestContext}
     * @return the log, or a refusal
     */
    Outcome resolve(Object requestContext, ControlRequest.PrepareLanding request);

    /** Whether that principal may still write to the topic; may take its time. */
    boolean mayStillWrite(Object requestContext, String topic);

    /** Either a log or why there is none. */
    record Outcome(LandableLog log, String refusal) {}

    /** The bytes of a {@code MemoryRecords}, position 0, limit = its size. */
    ByteBuffer bytesOf(Object records);

    /** What the broker answers to a producer that should look for the leader and send again. */
    RuntimeException notLeader(String message);

    /** What a follower that appends takes for a passing state of its log and tries again; after most others it gives the partition up until leaders change. */
    RuntimeException passing(String message);
}
