// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers of a link that wait to be posted, each at most once. Any thread adds, and the owner takes. A handler
 * reads the next part of an answer in files before it is added, so that nobody waits for a disk but that handler.
 *
 * @param ready has room for one answer to each unanswered request; the owner polls it
 */
record ReplyOutbox(
        RingLink link, RingThread owner, ReplyRingWriter replies, ManyToOneConcurrentArrayQueue<RingReply> ready) {
    private static final Logger log = LoggerFactory.getLogger(ReplyOutbox.class);

    /** Any thread: adds the reply, or its next part. */
    void add(RingReply reply) {
        if (reply.isReadAtOnce) {
            read(reply);
        } else if (reply.isInFiles) {
            Runnable reading = () -> read(reply);
            owner.addTask(reading);
        } else {
            addReady(reply);
        }
    }

    private void addReady(RingReply reply) {
        if (!ready.offer(reply)) {
            throw new IllegalStateException("more than one answer to a request of link " + link.linkId);
        }
        owner.schedule(link);
    }

    /** A broker closes the connection, too, if it cannot read an answer. */
    private void read(RingReply reply) {
        RingReply next = reply;
        try {
            reply.read(replies.nextBytes(reply));
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            log.warn(
                    "Closing connection {}: cannot read an answer",
                    reply.frame.session.bound.connection.connectionId(),
                    e);
            reply.onDone();
            next = RingReply.ofFlags(reply.frame, RingFrame.FLAG_CLOSE_CONNECTION);
        }
        addReady(next);
    }
}
