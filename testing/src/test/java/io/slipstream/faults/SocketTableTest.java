// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SocketTableTest {
    @Test
    void shouldReadConnectionsOfBothAddressFamilies() {
        String table = """
                0      0               127.0.0.1:45376         127.0.0.1:12001 users:(("java",pid=157,fd=40))
                0      0      [::ffff:127.0.0.1]:45378 [::ffff:127.0.0.1]:12002 users:(("java",pid=158,fd=41))
                0      0               127.0.0.1:45380         127.0.0.1:12003
                0      0                10.0.0.1:45380          10.0.0.2:12003 users:(("java",pid=159,fd=1))
                """;

        assertThat(SocketTable.parse(table))
                .containsExactly(
                        new SocketTable.Connection(45_376, 12_001, 157),
                        new SocketTable.Connection(45_378, 12_002, 158));
    }
}
