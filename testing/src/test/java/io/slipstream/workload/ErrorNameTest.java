// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class ErrorNameTest {
    @Test
    void shouldNameTheCauseWhereTheClientOnlySaysThatSomethingFailedBefore() {
        assertThat(RecordingProducer.nameOf(new KafkaException("in an error state", new TimeoutException("late"))))
                .isEqualTo("TimeoutException");
        assertThat(RecordingProducer.nameOf(
                        new KafkaException("state", new KafkaException("before", new TimeoutException("late")))))
                .isEqualTo("TimeoutException");
        assertThat(RecordingProducer.nameOf(new KafkaException("no more is known")))
                .isEqualTo("KafkaException: no more is known");
        assertThat(RecordingProducer.nameOf(new KafkaException("state", new KafkaException("x".repeat(200)))))
                .isEqualTo("KafkaException: " + "x".repeat(80));
        assertThat(RecordingProducer.nameOf(new TimeoutException("late", new KafkaException("cause"))))
                .isEqualTo("TimeoutException");
        assertThat(RecordingProducer.nameOf(null)).isEmpty();
    }
}
