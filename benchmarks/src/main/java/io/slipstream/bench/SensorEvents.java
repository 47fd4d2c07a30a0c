// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Sensor readings as JSON, some 120 bytes each; equal for equal seeds. */
final class SensorEvents {
    private static final int SENSORS = 500;
    private static final long FIRST_MS = 1_700_000_000_000L;
    private static final double MEAN_CELSIUS = 21;
    private static final double MEAN_PERCENT = 45;

    private SensorEvents() {}

    static List<byte[]> create(int count, long seed) {
        Random random = new Random(seed);
        List<byte[]> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String json = String.format(
                    Locale.ROOT,
                    "{\"sensor\":\"hall-%03d\",\"time\":%d,\"temperature\":%.2f,\"humidity\":%.1f,\"battery\":%.2f,\"alarm\":%b}",
                    random.nextInt(SENSORS),
                    FIRST_MS + i,
                    MEAN_CELSIUS + 3 * random.nextGaussian(),
                    MEAN_PERCENT + 5 * random.nextGaussian(),
                    3 + random.nextDouble(),
                    random.nextInt(100) == 0);
            events.add(json.getBytes(StandardCharsets.US_ASCII));
        }
        return events;
    }
}
