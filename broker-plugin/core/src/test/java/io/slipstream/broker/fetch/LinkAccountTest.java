// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest.PartitionReads;
import io.slipstream.protocol.control.ControlRequest.ReportReads;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LinkAccountTest {
    private final LinkAccount account = new LinkAccount(new ScriptedAccounts(), new ReadAllowances(1_000), 0);

    private ControlError report(long bytes, long atNs) {
        ReportReads report = new ReportReads(1, List.of(new PartitionReads(0, 1, bytes, 0)), List.of());
        return account.enter(report, new LinkAccount.Reader[0], atNs).error();
    }

    @Test
    void shouldBelieveInTotalNoMoreThanALinkCarries() {
        long second = LinkAccount.MOST_BYTES_PER_SECOND;
        assertThat(report(second, 0)).isEqualTo(ControlError.NONE);
        assertThat(report(second, 0)).as("the same bytes again").isEqualTo(ControlError.LIMIT);
        assertThat(report(second, TimeUnit.SECONDS.toNanos(1))).isEqualTo(ControlError.NONE);
        assertThat(report(second + 1, TimeUnit.SECONDS.toNanos(2))).isEqualTo(ControlError.LIMIT);
    }

    @Test
    void shouldBelieveALateReportUpToItsBound() {
        long most = LinkAccount.MOST_BYTES_PER_SECOND * LinkAccount.MOST_SECONDS;
        assertThat(report(most, TimeUnit.HOURS.toNanos(1))).isEqualTo(ControlError.NONE);
        assertThat(report(most + 1, TimeUnit.HOURS.toNanos(2))).isEqualTo(ControlError.LIMIT);
    }
}
