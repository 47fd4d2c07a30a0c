package io.slipstream.broker.landing;

import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;

/** The landings of a broker, lent to one link for each log ({@link LandingTable}) or to several ({@link SharedLandings}). Thread-safe. */
public interface SegmentLandings {
    /** Any thread. The link's session has authorized itself. */
    CompletableFuture<ControlResponse> prepare(
            LinkLandings landings, LandingLink link, Object requestContext, ControlRequest.PrepareLanding request);

    /** Any thread. */
    CompletableFuture<ControlResponse> extend(LinkLandings landings, ControlRequest.ExtendLanding request);

    /** Any thread: has the landing given back, by all links if it is shared. Never waits. */
    void withdraw(Grant grant);

    /** Whether nothing is landed anywhere. */
    boolean isIdle();

    /**
     * Handler thread, before a request is handled that came by the ring: what it has to wait for because of one partition that it writes to. When that
     * completes, the request is looked at once more from its beginning.
     *
     * @param records what it writes there, the broker's {@code MemoryRecords}
     * @param isOnly whether it writes to no other partition
     * @return null if it need not wait
     */
    CompletableFuture<Void> obstacle(
            RingAppend request, String topic, Uuid topicId, int partition, Object records, boolean isOnly);

    /** See {@link LandingEvents#append}. */
    int append(Object file, Object records);

    /** See {@link LandingEvents#beforeAppend}. */
    Turn beforeAppend(Object partition, Object records);

    /** See {@link LandingEvents#afterAppend}. */
    void afterAppend(Turn turn);

    /** See {@link LandingEvents#beforePartitionChange}. */
    void beforePartitionChange(Object partition);

    /** See {@link LandingEvents#beforeLogChange}. */
    void beforeLogChange(Object log);

    /** See {@link LandingEvents#reconfigured}. */
    void reconfigured(Object log);

    /** See {@link LandingEvents#shouldRoll}. */
    boolean mayRoll(Object file);

    /** After the last link ended; waits for the last landing's end. */
    void close() throws InterruptedException;
}
