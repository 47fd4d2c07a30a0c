// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.StartFailure;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenFilesTest {
    @Test
    void shouldReadTheSoftLimit() {
        List<String> limits = List.of(
                "Limit                     Soft Limit           Hard Limit           Units     ",
                "Max processes             93456                93456                processes ",
                "Max open files            1024                 524288               files     ");

        assertThat(OpenFiles.limitOf(limits)).isEqualTo(1_024);
        assertThat(OpenFiles.limitOf(List.of("Max open files            unlimited            unlimited   files")))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldSayWhoseLimitIsTooLowAndWhatToDo() {
        long self = ProcessHandle.current().pid();

        assertThatThrownBy(() -> OpenFiles.require("the proxy", self, Long.MAX_VALUE - 1))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("the proxy")
                .hasMessageContaining("ulimit -n");
        assertThatCode(() -> OpenFiles.require("the proxy", self, 10)).doesNotThrowAnyException();
    }
}
