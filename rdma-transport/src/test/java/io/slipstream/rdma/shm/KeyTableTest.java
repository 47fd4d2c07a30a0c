// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyTableTest {
    private final KeyTable<String> table = new KeyTable<>();

    @Test
    void shouldFindWhatIsThereAndMissWhatIsNotHoweverFullItIs() {
        // A lookup in a full map would not end.
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (int key = 1; key <= 300; key++) {
                assertThat(table.get(key)).isNull();
                table.put(key, "value " + key);
                assertThat(table.get(key)).isEqualTo("value " + key);
                assertThat(table.get(1 << 20 | key)).isNull();
            }
        });
    }

    @Test
    void shouldKeepTheOthersWhenOneOfSeveralInARowIsRemoved() {
        Random random = new Random(7);
        Map<Integer, String> expected = new HashMap<>();
        for (int round = 0; round < 20_000; round++) {
            int key = 1 + random.nextInt(200) * 16; // collisions
            if (expected.containsKey(key)) {
                assertThat(table.remove(key)).isEqualTo(expected.remove(key));
            } else {
                assertThat(table.remove(key)).isNull();
                expected.put(key, "value " + round);
                table.put(key, "value " + round);
            }
            assertThat(table.size()).isEqualTo(expected.size());
        }
        expected.forEach((key, value) -> assertThat(table.get(key)).isEqualTo(value));
        assertThat(table.values()).containsExactlyInAnyOrderElementsOf(expected.values());
    }
}
