// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client that reads a topic from its start until it is closed. A refusal or an error fails the test. */
final class SteadyReader implements AutoCloseable {
    private static final Duration PATIENCE = Patience.ofSeconds(20);

    private final CompletableFuture<Void> reading;
    private volatile long offset;
    private volatile boolean closed;

    SteadyReader(String address, String user, TopicRef topic) {
        reading = CompletableFuture.runAsync(() -> {
            try (RawClient client = RawClient.connect(address)) {
                SaslClient.authenticate(client, user);
                while (!closed) {
                    offset = RawRecords.fetch(client, topic, offset);
                }
            } catch (Exception e) {
                throw new IllegalStateException(user + " cannot read on at " + offset, e);
            }
        });
    }

    /** Returns when it has read records that it had not read at the call. */
    void awaitProgress() {
        long before = offset;
        boolean reads = Deadline.after(PATIENCE).await(() -> reading.isDone() || offset > before);
        reading.getNow(null);
        assertThat(reads).as("the reader gets records, from %d on", before).isTrue();
    }

    @Override
    public void close() {
        closed = true;
        reading.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }
}
