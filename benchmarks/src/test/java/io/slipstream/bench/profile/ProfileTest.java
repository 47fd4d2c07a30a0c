// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProfileTest {
    private static final List<String> LINES = List.of(
            "[data-plane-kafka-request-handler-0 tid=11];java/lang/Thread.run;kafka/server/ReplicaManager.append 30",
            "[data-plane-kafka-request-handler-1 tid=12];java/lang/Thread.run;kafka/cluster/Partition.append 10",
            "[C2 CompilerThre tid=13];Compile::Optimize 20",
            "",
            "[slipstream-request-handler-0 tid=14];kafka/server/ReplicaManager.append;__x64_sys_futex_[k] 40");

    @Test
    void shouldSumUpByCategoryAndThread() {
        String text =
                Profile.of("produce", LINES, 1_000, "op", 500_000).markdown().replaceAll(" +", " ");

        assertThat(text)
                .contains("## produce")
                .contains("100 samples of 0.50 ms; 1000 op; 50.00 us of processor time for each.")
                .contains("kernel 40.0 %. Kafka 40.0 %. ours 0.0 %. Netty 0.0 %. JVM 20.0 %.")
                .contains("| owner | what | % | us/op | request handler | ring thread | compiler |")
                .contains("| kernel | waiting and waking | 40.0 | 20.00 | | 40.0 | |")
                .contains("| Kafka | log: validation, append, read | 40.0 | 20.00 | 40.0 | | |")
                .contains("| JVM | compiler | 20.0 | 10.00 | | | 20.0 |")
                .contains("| | all | 100.0 | 50.00 | 40.0 | 40.0 | 20.0 |");
    }

    @Test
    void shouldBearAProcessThatDidNothing() {
        assertThat(Profile.of("idle", List.of(), 0, "op", 500_000).markdown())
                .contains("0 samples", "| all | 0.0 | 0.00 |");
    }

    @Test
    void shouldReadThreadsWhoseNamesHaveBlanksAndBrackets() {
        StackSamples samples = StackSamples.parse("[Thread [x] (y z) tid=5];a.b;c d 12");

        assertThat(samples).isEqualTo(new StackSamples("Thread [x] (y z)", List.of("a.b", "c d"), 12));
        assertThat(StackSamples.parse("a;b 1").thread()).isEmpty();
        assertThat(StackSamples.parse("[VM Thread tid=5] 3"))
                .isEqualTo(new StackSamples("VM Thread", List.of("[no frames]"), 3));
    }

    @Test
    void shouldRefuseWhatIsNoStack() {
        assertThatThrownBy(() -> StackSamples.parse("nothing")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StackSamples.parse("a;b x")).hasMessageContaining("a;b x");
    }

    @Test
    void shouldNameFilesSafely() {
        assertThat(ProfileDirectory.fileName(List.of("round-trips", "EMPTY_FETCH", "a/../b c", "proxy")))
                .isEqualTo("round-trips-empty_fetch-a____b_c-proxy");
    }
}
