// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RegisteredBytesTest {
    private final RegisteredBytes bytes = new RegisteredBytes(170, Integer.MAX_VALUE);

    /** A new object each time: proxies are told apart by identity. */
    private final Object first = new String("proxy");

    private final Object second = new String("proxy");

    @Test
    void shouldLeaveRoomForANewcomer() {
        assertThat(bytes.charge(first, 160)).isNull();
        assertThat(bytes.charge(first, 1)).contains("slipstream.registered.bytes=170");
        assertThat(bytes.charge(second, 9)).isNull();
        assertThat(bytes.charge(second, 1)).as("the last byte").isNotNull();
        assertThat(bytes.chargedBytes()).isEqualTo(169);
    }

    @Test
    void shouldBoundTheRegionsOfAllProxies() {
        RegisteredBytes mapped = new RegisteredBytes(1 << 20, 2);
        assertThat(mapped.charge(first, 1)).isNull();
        assertThat(mapped.charge(second, 1)).isNull();
        assertThat(mapped.charge(second, 1)).contains("vm.max_map_count");
        assertThat(mapped.chargedBytes()).isEqualTo(2);
        assertThat(mapped.regions()).isEqualTo(2);

        mapped.discharge(first, 1);
        assertThat(mapped.regions()).isEqualTo(1);

        assertThat(mapped.charge(second, 1)).isNull();
    }

    @Test
    void shouldEvenOutAsReadersGoOn() {
        Object[] proxies = {first, second};
        long[] held = {160, 5};
        bytes.charge(first, held[0]);
        bytes.charge(second, held[1]);
        for (int i = 0; i < 100; i++) {
            bytes.discharge(proxies[i % 2], 5);
            held[i % 2] -= 5;
            for (int proxy = 0; proxy < 2; proxy++) {
                held[proxy] += bytes.charge(proxies[proxy], 5) == null ? 5 : 0;
            }
        }
        assertThat(held[0]).isBetween(75L, 90L);
        assertThat(held[1]).isBetween(75L, 90L);
    }

    @Test
    void shouldNeverExceedTheLimit() {
        assertThat(bytes.charge(first, 171)).isNotNull();
        assertThat(bytes.charge(first, 10)).isNull();
        assertThat(bytes.charge(second, 161)).isNotNull();
        assertThat(bytes.chargedBytes()).isEqualTo(10);
    }

    @Test
    void shouldKnowWhatEachGaveBack() {
        bytes.charge(first, 100);
        bytes.charge(first, 60);
        bytes.discharge(first, 100);
        bytes.discharge(first, 60);
        assertThat(bytes.chargedBytes()).isZero();
        assertThat(bytes.charge(first, 160)).isNull();
        bytes.discharge(first, 60);
        assertThat(bytes.charge(second, 60)).isNull();
        assertThat(bytes.charge(first, 1)).as("then 101 held, 9 free").isNull();
        assertThat(bytes.charge(first, 5)).as("then 106 held, 4 free").isNotNull();
    }
}
