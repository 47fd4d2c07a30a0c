// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SocketAddressTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:4000, 10.0.0.1:4000",
        "[fd00::1]:65535, [fd00:0:0:0:0:0:0:1]:65535",
        "[fe80::1%lo]:0, [fe80:0:0:0:0:0:0:1%1]:0",
        "[fe80::1%7]:1, [fe80:0:0:0:0:0:0:1%7]:1",
    })
    void shouldReadWhatItPrints(String text, String printed) throws Exception {
        SocketAddress address = SocketAddress.parse(text);
        assertThat(address.toString()).isEqualTo(printed);
        assertThat(SocketAddress.parse(printed).ip()).isEqualTo(address.ip());
        assertThat(SocketAddress.parse(printed).scopeId()).isEqualTo(address.scopeId());
    }

    @Test
    void shouldLeaveAnEmptyHostToTheDevice() throws Exception {
        SocketAddress address = SocketAddress.parse(":4000");
        assertThat(address.hasHost()).isFalse();
        assertThat(address.port()).isEqualTo(4000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.1",
                "10.0.0.1:",
                "10.0.0.1:70000",
                "10.0.0.1:-1",
                "example.org:1",
                "fd00::1:4000",
                "[10.0.0.1]:1",
                "10.0.0.1%lo:1",
                "[fd00::1]",
                "[fe80::1%nosuch]:1"
            })
    void shouldRefuseAllElse(String text) {
        assertThatThrownBy(() -> SocketAddress.parse(text)).isInstanceOf(IOException.class);
    }
}
