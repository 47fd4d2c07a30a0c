// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class SensorEventsTest {
    @Test
    void shouldBeJsonOfASensor() throws Exception {
        for (byte[] event : SensorEvents.create(200, 1)) {
            JsonNode json = new ObjectMapper().readTree(event);

            assertThat(json.get("sensor").asText()).matches("hall-\\d{3}");
            assertThat(json.get("temperature").isNumber()).isTrue();
            assertThat(event).hasSizeBetween(90, 130);
        }
    }

    @Test
    void shouldBeDecidedByTheSeed() {
        List<byte[]> events = SensorEvents.create(2, 1);

        assertThat(SensorEvents.create(2, 1).get(1)).isEqualTo(events.get(1)).isNotEqualTo(events.get(0));
        assertThat(SensorEvents.create(2, 2).get(1)).isNotEqualTo(events.get(1));
    }
}
