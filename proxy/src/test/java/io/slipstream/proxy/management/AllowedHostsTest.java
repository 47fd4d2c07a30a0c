// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedHostsTest {
    private final AllowedHosts hosts = new AllowedHosts("Proxy.example", List.of("sidecar-a", "Other.Example"));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.0.0.1:9091",
                "10.1.2.3:80",
                "[::1]",
                "[::1]:9091",
                "[fe80::1]:",
                "localhost",
                "LOCALHOST:9091",
                "proxy.example:1",
                "sidecar-a:9091",
                "other.example"
            })
    void shouldAllowAddressesAndConfiguredNames(String host) {
        assertThat(hosts.allow(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ":9091", "evil.example", "evil.example:9091", "127.0.0.1.evil.example", "localhost.evil.example",
                "sidecar-b", "[evil.example]", "[::1].evil.example", "127.0.0.1:9091:evil", "0x7f000001", "*"
            })
    void shouldRefuseOtherNames(String host) {
        assertThat(hosts.allow(host)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "sidecar-a"})
    void shouldAllowEveryNameIfConfigured(String host) {
        assertThat(new AllowedHosts("0.0.0.0", List.of("*")).allow(host)).isTrue();
    }
}
