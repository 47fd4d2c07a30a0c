// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.Batch;
import io.slipstream.simulation.broker.LoggedBatch;
import io.slipstream.simulation.broker.ModelLog;
import io.slipstream.simulation.broker.Partitions;
import io.slipstream.simulation.broker.ProduceFrames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A producer of one partition with several requests in flight. With acks=all it is idempotent: after an error or a lost
 * connection it resends unacknowledged batches in order. Otherwise it continues with the next batch.
 */
public final class Producer extends ConnectedClient {
    private static final int MOST_RETRIES = 2_000;

    private final int id;
    private final short acks;
    private final int inFlight;
    private final int thinkNs;
    private final ArrayDeque<Batch> left = new ArrayDeque<>();
    /** Sent and unacknowledged, oldest first. */
    private final List<Batch> unacknowledged = new ArrayList<>();

    private final Set<Integer> acknowledged = new HashSet<>();
    private final ModelLog log;
    private boolean scheduled;
    private boolean draining;
    private int outstanding;
    private int retries;

    /** Numbers unique in a world, and the frames sent under them. */
    public record Numbers(int[] next, Map<Long, byte[]> sent) {
        int connection() {
            return next[0]++;
        }

        int correlation() {
            return next[1]++;
        }
    }

    public Producer(
            World world,
            Partitions partitions,
            Supplier<Proxy> proxies,
            Numbers numbers,
            String principal,
            int id,
            short acks,
            int inFlight,
            int thinkNs,
            List<Batch> batches) {
        super(world, partitions, proxies, numbers, principal);
        this.id = id;
        this.acks = acks;
        this.inFlight = inFlight;
        this.thinkNs = thinkNs;
        this.left.addAll(batches);
        this.log = partitions.log(batches.get(0).partition());
    }

    @Override
    void onConnected() {
        outstanding = 0;
        draining = false;
        // The scheduled action belonged to the previous connection, even if a late answer on it was the trigger.
        scheduled = false;
        resend();
    }

    /** Resends unacknowledged batches first. */
    private void resend() {
        for (int i = unacknowledged.size() - 1; i >= 0; i--) {
            left.addFirst(unacknowledged.get(i));
        }
        unacknowledged.clear();
        more();
    }

    private void more() {
        if (!scheduled && !isDone()) {
            scheduled = true;
            later(world.random(Math.max(1, thinkNs)), () -> {
                scheduled = false;
                send();
            });
        }
    }

    private void send() {
        if (left.isEmpty() || outstanding >= inFlight || draining) {
            return;
        }
        sometimesAskBroker();
        Batch batch = left.poll();
        int correlationId = numbers.correlation();
        byte[] frame = ProduceFrames.encode(connection.number(), correlationId, acks, Partitions.TOPIC, batch);
        numbers.sent().put(Partitions.key(connection.number(), correlationId), frame);
        unacknowledged.add(batch);
        outstanding++;
        int connectionNumber = connection.number();
        if (acks == 0) {
            connection.submit(null, correlationId, frame);
            onAnswer(batch, ProduceFrames.ERROR_NONE, -1);
            return;
        }
        connection.submit(new Answer(batch, connectionNumber, correlationId), correlationId, frame);
        more();
    }

    private final class Answer implements Connection.Sender {
        private final Batch batch;
        private final int connectionNumber;
        private final int correlationId;

        Answer(Batch batch, int connectionNumber, int correlationId) {
            this.batch = batch;
            this.connectionNumber = connectionNumber;
            this.correlationId = correlationId;
        }

        @Override
        public void onResponse(byte[] response, boolean byRdma) {
            byte[] expected = partitions.answerTo(connectionNumber, correlationId);
            if (expected == null || !Arrays.equals(expected, response)) {
                world.violate(
                        "responses",
                        "the response to request " + correlationId + " is not what the broker answered to it");
            } else {
                onAnswer(batch, ProduceFrames.errorOf(response), ProduceFrames.baseOffsetOf(response));
            }
        }
    }

    private void onAnswer(Batch batch, short error, long baseOffset) {
        outstanding--;
        if (error == ProduceFrames.ERROR_NONE || acks != -1) {
            unacknowledged.remove(batch);
            if (error == ProduceFrames.ERROR_NONE && acks == -1) {
                acknowledged.add(batch.sequence());
                checkCommitted(batch, baseOffset);
            }
        } else if (++retries > MOST_RETRIES) {
            world.violate("progress", "producer " + id + " was refused " + retries + " times, last with " + error);
        } else {
            draining = true;
        }
        if (draining && outstanding == 0) {
            draining = false;
            later(50_000, this::resend);
        }
        more();
    }

    /** An acknowledged batch is committed: in the log at that offset, below the high watermark. */
    private void checkCommitted(Batch batch, long baseOffset) {
        if (baseOffset < 0 || baseOffset < log.logStartOffset()) {
            return;
        }
        LoggedBatch logged = log.at(baseOffset);
        if (logged == null
                || logged.baseOffset() != baseOffset
                || logged.producerId() != batch.producerId()
                || logged.sequence() != batch.sequence()) {
            world.violate(
                    "acknowledged",
                    "batch " + batch.sequence() + " of producer " + id + " is acknowledged at offset " + baseOffset
                            + " but not there");
        } else if (logged.lastOffset() >= log.highWatermark()) {
            world.violate(
                    "acknowledged",
                    "batch " + batch.sequence() + " of producer " + id + " is acknowledged before it is committed");
        }
    }

    @Override
    void onLost(String reason) {
        if (++retries > MOST_RETRIES) {
            world.violate("progress", "producer " + id + " lost its connection " + retries + " times: " + reason);
            return;
        }
        if (acks != -1) {
            unacknowledged.clear();
        }
        reconnect();
    }

    /** Returns whether everything is acknowledged or given up. */
    public boolean isDone() {
        return left.isEmpty() && unacknowledged.isEmpty();
    }

    /** Checks at the end that every acknowledged batch is in the log once. */
    public void checkLog() {
        Set<Integer> seen = new HashSet<>();
        int last = -1;
        for (LoggedBatch batch : log.batches()) {
            if (batch.producerId() != id) {
                continue;
            }
            if (acks == -1 && (!seen.add(batch.sequence()) || batch.sequence() < last)) {
                world.violate(
                        "order",
                        "batch " + batch.sequence() + " of idempotent producer " + id
                                + " stands in the log twice, or behind " + last);
            }
            last = batch.sequence();
        }
        for (int sequence : acknowledged) {
            if (acks == -1 && !seen.contains(sequence) && log.logStartOffset() == 0) {
                world.violate("acknowledged", "batch " + sequence + " of producer " + id + " is lost");
            }
        }
    }

    public int acknowledgedCount() {
        return acknowledged.size();
    }
}
