// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.containers.workload.ProgressWatch.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressWatchTest {
    private static final String ACKNOWLEDGED = "{\"event\":\"acknowledged\",\"at\":1,\"partition\":0}\n";
    private static final String READ = "{\"at\":1,\"event\":\"read\",\"partition\":0}\n";

    @TempDir
    Path directory;

    @Test
    void shouldCountWholeLinesOnce() throws IOException {
        ProgressWatch watch = new ProgressWatch(directory);
        append("go-1-producer.jsonl", ACKNOWLEDGED + ACKNOWLEDGED + ACKNOWLEDGED.substring(0, 20));
        append("go-1-consumer.jsonl", READ + "{\"event\":\"trouble\",\"error\":\"read\"}\n");
        assertThat(watch.counts()).isEqualTo(Map.of("go", new Progress(2, 1)));

        append("go-1-producer.jsonl", ACKNOWLEDGED.substring(20));
        append("go-2-producer.jsonl", ACKNOWLEDGED);
        append("node-1-consumer.jsonl", READ);
        assertThat(watch.counts()).isEqualTo(Map.of("go", new Progress(4, 1), "node", new Progress(0, 1)));
    }

    @Test
    void shouldNameAllCountsIfOneClientStalls() throws IOException {
        ProgressWatch watch = new ProgressWatch(directory);
        append("go-1-producer.jsonl", ACKNOWLEDGED);
        append("go-1-consumer.jsonl", READ);

        watch.await(List.of("go"), Map.of(), 1, Duration.ofSeconds(10));
        assertThatThrownBy(() -> watch.await(List.of("go", "node"), Map.of(), 1, Duration.ofMillis(50)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("go=Progress[acknowledged=1, read=1]");
    }

    private void append(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
