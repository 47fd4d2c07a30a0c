// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** Asks for coordinators. The first question creates the topic of all coordinators of its type. */
public final class Coordinators {
    private static final short VERSION = 3;
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    private static final long PAUSE_NS = 20_000_000;

    private Coordinators() {}

    /** Waits until there is a coordinator, which may still be loading. */
    public static void await(RawClient client, CoordinatorType type, String key) throws IOException {
        ask(
                client,
                type,
                null,
                VERSION,
                find(type, key),
                FindCoordinatorResponseData.class,
                answer -> answer.errorCode() == Errors.NONE.code());
    }

    /**
     * Repeats a request to a coordinator, for example until it is loaded. Returns the accepted answer.
     *
     * @param key that of the coordinator; null if there is nothing to find
     * @throws IllegalStateException that has the last answer, if none is accepted in time
     */
    public static <T extends ApiMessage> T ask(
            RawClient client,
            CoordinatorType type,
            String key,
            int version,
            ApiMessage request,
            Class<T> answers,
            Predicate<T> accepted)
            throws IOException {
        Deadline deadline = Deadline.after(PATIENCE);
        while (true) {
            if (key != null) {
                client.call(VERSION, find(type, key));
            }
            T answer = client.call(version, request, answers);
            if (accepted.test(answer)) {
                return answer;
            }
            if (deadline.isOver()) {
                throw new IllegalStateException("no accepted answer in time, the last one is " + answer);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static FindCoordinatorRequestData find(CoordinatorType type, String key) {
        return new FindCoordinatorRequestData().setKeyType(type.id()).setKey(key);
    }
}
