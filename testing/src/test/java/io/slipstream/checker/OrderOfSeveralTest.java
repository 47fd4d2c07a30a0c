// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static io.slipstream.checker.Scenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import org.junit.jupiter.api.Test;

/** Orders that are broken more than once, and skips that only some readers may make. */
class OrderOfSeveralTest {
    private final Scenario history = new Scenario();
    private final int partition = history.partition();

    @Test
    void shouldFindEachRecordBehindALaterOne() {
        int producer = history.producer(ProducerKind.IDEMPOTENT);
        long first = history.invoke(producer, partition);
        long second = history.invoke(producer, partition);
        long third = history.invoke(producer, partition);
        history.ok(first, 1).ok(second, 2).ok(third, 0);
        history.finalRead(partition, at(0, third), at(1, first), at(2, second));

        assertThat(history.report().counts()).containsEntry("I5 nonmonotonic-send", 2L);
    }

    @Test
    void shouldFindARecordOfAnAbortedTransactionThatAnUncommittedReaderSkips() {
        int transactional = history.producer(ProducerKind.TRANSACTIONAL);
        int plain = history.producer(ProducerKind.PLAIN);
        history.begin(transactional, 0);
        long aborted = history.sentIn(0, transactional, partition, 0);
        history.end(transactional, 0, false, Outcome.OK);
        long after = history.sent(plain, partition, 2);
        history.finalRead(partition, at(0, aborted), at(2, after));
        history.poll(history.committedReader(partition), partition, at(2, after));
        assertThat(history.kinds()).as("not for read_committed").isEmpty();

        history.poll(history.reader(partition), partition, at(2, after));
        assertThat(history.kinds()).containsExactly("I6 poll-skip");
    }
}
