// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.slipstream.proxy.count.ClientActivity;

/**
 * Writes answers to the client and counts them. Flushes both sockets once per read or turn of the event loop. Confined
 * to the event loop.
 */
final class AnswerWriter implements ResponseSequencer.Writer {
    private final Channel client;
    private final SessionMeters meters;
    private final ClientActivity activity;
    private final Runnable flushTask = this::flushScheduled;
    /** Null until the session is connected. */
    UpstreamConnection upstream;
    /** Whether a read of either socket is in progress; its end flushes. */
    boolean reading;

    private boolean flushScheduled;
    private boolean clientUnflushed;

    AnswerWriter(Channel client, SessionMeters meters, ClientActivity activity) {
        this.client = client;
        this.meters = meters;
        this.activity = activity;
    }

    @Override
    public void write(RequestSlot slot) {
        ApiMeters counted = meters.of(slot.apiKey, slot.answeredByRdma);
        counted.requests.increment();
        counted.requestBytes.add(slot.requestBytes);
        counted.records.add(slot.records);
        meters.inFlight.decrement();
        if (slot.response != null) {
            ByteBuf response = slot.detachResponse();
            int sizeBytes = response.readableBytes();
            if (slot.responseHasSize) {
                sizeBytes -= FrameDecoder.SIZE_BYTES;
            } else {
                client.write(
                        client.alloc().directBuffer(FrameDecoder.SIZE_BYTES).writeInt(sizeBytes), client.voidPromise());
            }
            client.write(response, client.voidPromise());
            clientUnflushed = true;
            counted.responseBytes.add(sizeBytes);
            activity.sent(sizeBytes);
        }
        long latencyNs = System.nanoTime() - slot.receivedNs;
        counted.latency.recordNs(latencyNs);
        activity.answered(slot.apiKey, slot.answeredByRdma, slot.records, latencyNs);
    }

    /** The read is over: flushes its results. */
    void endRead() {
        reading = false;
        flush();
    }

    /** Flushes after the current event of the event loop, unless the end of a read does. */
    void scheduleFlush() {
        boolean unflushed = clientUnflushed || upstream != null && upstream.unflushed;
        if (unflushed && !reading && !flushScheduled) {
            flushScheduled = true;
            client.eventLoop().execute(flushTask);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        flush();
    }

    private void flush() {
        if (upstream != null) {
            upstream.flush();
        }
        if (clientUnflushed) {
            clientUnflushed = false;
            client.flush();
        }
    }
}
