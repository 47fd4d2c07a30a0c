// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;

/**
 * An idempotent producer with five batches of one record in flight that retries explicitly. When its connection ends,
 * it reconnects and resends unanswered batches in order with the same sequences. It notes each batch's error and
 * offset; reconnections are not in the transcript.
 */
final class RetryingProducer {
    static final int IN_FLIGHT = 5;

    private final ArmContext arm;
    private final TopicRef topic;
    private final long producerId;
    private final ArrayDeque<Sent> unanswered = new ArrayDeque<>();
    private RawClient client;
    private Sent last;
    private int sequence;
    private int reconnects;

    private record Sent(int sequence, RequestFrame frame) {}

    RetryingProducer(ArmContext arm, TopicRef topic, long producerId) throws IOException {
        this.arm = arm;
        this.topic = topic;
        this.producerId = producerId;
        client = arm.connect();
    }

    /** Sends a small batch. */
    void send() throws IOException {
        send(1 + arm.random().nextInt(300));
    }

    /** Sends the next batch with a value of that size. Waits for the oldest answer if five batches are in flight. */
    void send(int sizeBytes) throws IOException {
        while (unanswered.size() == IN_FLIGHT) {
            receive();
        }
        Sent next = new Sent(
                sequence,
                ProduceRequests.version(ProduceRequests.NEWEST, -1)
                        .add(topic, 0, Batches.idempotent(producerId, (short) 0, sequence, arm.value(sizeBytes)))
                        .frame());
        sequence++;
        send(next);
    }

    /** Sends the last batch again, like a client that does not know its outcome. */
    void repeat() throws IOException {
        flush();
        send(last);
        flush();
    }

    private void send(Sent batch) throws IOException {
        last = batch;
        unanswered.add(batch);
        try {
            client.send(batch.frame);
        } catch (SocketTimeoutException stuck) {
            throw stuck;
        } catch (IOException closed) {
            reconnect();
        }
    }

    /** Waits for all answers. */
    void flush() throws IOException {
        while (!unanswered.isEmpty()) {
            receive();
        }
    }

    /** Closes the connection with requests in flight, and reconnects. */
    void reset() throws IOException {
        client.close();
        reconnect();
    }

    /** Flushes, then moves back to the fast path, if there is one. */
    void accelerate() throws IOException {
        flush();
        arm.accelerate(client);
    }

    int reconnects() {
        return reconnects;
    }

    private void receive() throws IOException {
        try {
            ProduceResponseData answer = client.receive().as(ProduceResponseData.class);
            PartitionProduceResponse partition =
                    answer.responses().iterator().next().partitionResponses().get(0);
            arm.note(
                    "sequence " + unanswered.remove().sequence,
                    Errors.forCode(partition.errorCode()) + " at " + partition.baseOffset());
        } catch (SocketTimeoutException silent) {
            throw silent;
        } catch (IOException closed) {
            reconnect();
        }
    }

    private void reconnect() throws IOException {
        reconnects++;
        client = arm.connect();
        for (Sent each : unanswered) {
            client.send(each.frame);
        }
    }
}
