// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecoveryWatchTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "[2026-11-22 10:22:01,983] INFO Loaded 12 logs in 41ms (org.apache.kafka.storage.internals.log.LogManager)",
                "[2026-11-22 10:22:01,983] INFO Loaded 12 logs in 41ms (kafka.log.LogManager)",
                "[2026-11-22 10:22:01,983] INFO Loaded 12 logs in 41ms (unclean log dirs = ArraySeq(/b/data)) (kafka.log.LogManager)"
            })
    void shouldKnowTheEndOfRecovery(String line) {
        assertThat(RecoveryWatch.isEndOfRecovery(line)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[2026-11-22 10:22:01,982] INFO Loading logs from log dirs [/b/data] (kafka.log.LogManager)",
                "[2026-11-22 10:22:01,843] INFO Loaded new metadata in logs in (org.apache.kafka.metadata.publisher.FeaturesPublisher)",
                "[2026-11-22 10:22:01,983] INFO No logs found to be loaded in /b/data (kafka.log.LogManager)"
            })
    void shouldNotTakeAnotherLineForIt(String line) {
        assertThat(RecoveryWatch.isEndOfRecovery(line)).isFalse();
    }
}
