// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.fetch.ReadAccounts.ReadQuota;
import org.junit.jupiter.api.Test;

class ReadAllowancesTest {
    private static final long GOOD_FOR_NS = 1_000;

    private final ReadAllowances allowances = new ReadAllowances(GOOD_FOR_NS);

    @Test
    void shouldGiveAllSessionsOfAQuotaTogetherNoMoreThanItLeaves() {
        long granted = 0;
        for (int session = 0; session < 1_000; session++) {
            long bytes = allowances.grant(new ReadQuota("team", 1_000_000), 1_000_000, null, 0).bytes;
            granted += bytes;
            assertThat(granted).isLessThanOrEqualTo(1_000_000);
        }
        assertThat(granted).as("of one million").isGreaterThan(900_000);
        assertThat(allowances.grant(new ReadQuota("others", 1_000_000), 0, null, 0).bytes)
                .as("another quota")
                .isPositive();
    }

    @Test
    void shouldLeaveEnoughToTheOneOfManyThatReads() {
        for (int session = 0; session < 20; session++) {
            allowances.grant(new ReadQuota("team", 1_000_000), 100, null, 0);
        }
        assertThat(allowances.grant(new ReadQuota("team", 1_000_000), 1_000_000, null, 0).bytes)
                .isGreaterThan(100_000);
    }

    @Test
    void shouldGrowWithWhatASessionUsesUpToHalfOfWhatIsLeft() {
        ReadQuota quota = new ReadQuota("team", 1 << 20);
        ReadAllowances.Grant first = allowances.grant(quota, 0, null, 0);
        assertThat(first.bytes).isEqualTo(1 << 16);
        ReadAllowances.Grant second = allowances.grant(quota, 1 << 16, first, 1);
        assertThat(second.bytes).isEqualTo(1 << 18);
        assertThat(allowances.grant(quota, 1 << 18, second, 2).bytes).isEqualTo(1 << 19);
    }

    @Test
    void shouldGiveNothingBeyondAQuota() {
        assertThat(allowances.grant(new ReadQuota("team", -5), 100, null, 0).bytes)
                .isZero();
    }

    @Test
    void shouldNotGiveTheBytesOfAReplacedGrantBackAgainWhenItExpires() {
        ReadQuota quota = new ReadQuota("team", 1_000);
        ReadAllowances.Grant first = allowances.grant(quota, 1_000, null, 0);
        ReadAllowances.Grant second = allowances.grant(quota, 1_000, first, GOOD_FOR_NS / 2);
        assertThat(second.bytes).isEqualTo(500);
        assertThat(allowances.grant(quota, 1_000, null, GOOD_FOR_NS).bytes)
                .as("half of what the second grant leaves")
                .isEqualTo(250);
    }

    @Test
    void shouldForgetGrantsThatEnded() {
        allowances.grant(new ReadQuota("team", 1_000), 1_000, null, 0);
        assertThat(allowances.grant(new ReadQuota("team", 1_000), 1_000, null, GOOD_FOR_NS - 1).bytes)
                .isEqualTo(250);
        assertThat(allowances.grant(new ReadQuota("team", 1_000), 1_000, null, 2 * GOOD_FOR_NS).bytes)
                .isEqualTo(500);
        allowances.expire(3 * GOOD_FOR_NS);
        assertThat(allowances.byEntity).isEmpty();
    }
}
