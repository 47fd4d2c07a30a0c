// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The broker over {@code verbs} of all tests in the Soft-RoCE machine, where a start takes a minute. The first class
 * that registers this extension starts it; JUnit closes it after the last one.
 */
public final class VerbsBroker implements BeforeAllCallback {
    private Started started;

    private record Started(RdmaObjects before, BrokerProcess broker) implements AutoCloseable {
        static Started now() {
            try {
                RdmaObjects before = RdmaObjects.count();
                BrokerProcess.Builder builder = BrokerProcess.builder(BrokerLine.NEWEST)
                        .property("log.retention.ms", "-1") // scripts' timestamps are years old
                        .withVerbs()
                        .withoutAwaitingService();
                return new Started(before, builder.start());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            broker.close();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        started = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(VerbsBroker.class))
                .computeIfAbsent(Started.class, key -> Started.now(), Started.class);
    }

    /** Returns the broker, which may still be starting. */
    public BrokerProcess process() {
        return started.broker;
    }

    /** Returns the kernel's RDMA objects from before its start. */
    RdmaObjects objectsBefore() {
        return started.before;
    }
}
