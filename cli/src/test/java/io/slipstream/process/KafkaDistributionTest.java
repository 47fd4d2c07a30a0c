// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaDistributionTest {
    @TempDir
    private Path directory;

    @Test
    void shouldTellTheLineByTheServersJar() throws IOException {
        libs("kafka_2.13-4.3.1.jar", "kafka-clients-4.3.1.jar");

        KafkaDistribution kafka = KafkaDistribution.find(directory);

        assertThat(kafka.line()).isEqualTo(BrokerLine.KAFKA_4_3);
        assertThat(kafka.classPath()).isEqualTo(directory.resolve("libs") + "/*");
    }

    @Test
    void shouldNameWhatIsWrong() throws IOException {
        assertThatThrownBy(() -> KafkaDistribution.find(directory))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("is not an unpacked Kafka distribution")
                .hasMessageContaining(directory.toString());

        libs("kafka_2.13-3.9.0.jar");

        assertThatThrownBy(() -> KafkaDistribution.find(directory))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("is Kafka 3.9; use 4.3 or 4.4");
    }

    private void libs(String... jars) throws IOException {
        Path libs = Files.createDirectories(directory.resolve("libs"));
        for (String jar : jars) {
            Files.createFile(libs.resolve(jar));
        }
    }
}
