// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FetchSessionsTest {
    private final MeterRegistry meters = new MeterRegistry(Meter.values());
    private long nowNs = 5;
    private final FetchSessions sessions =
            new FetchSessions(2 * FetchSessions.SESSION_BYTES, meters.count(Meter.FETCH_SESSIONS), () -> nowNs);

    @AfterEach
    void close() {
        meters.close();
    }

    @Test
    void shouldNotEvictASessionThatWasUsedLately() {
        IncrementalSession first = sessions.open(true, 5);
        IncrementalSession second = sessions.open(true, 5);
        nowNs += FetchSessions.STALE_NS;
        assertThat(sessions.use(first)).isTrue();
        assertThat(sessions.use(second)).isTrue();
        nowNs += FetchSessions.STALE_NS;

        assertThat(sessions.open(true, 5)).isNull();
        assertThat(sessions.use(first)).isTrue();
        nowNs++;
        assertThat(sessions.open(true, 5)).as("in place of the second").isNotNull();
        assertThat(sessions.use(second)).isFalse();
    }

    @Test
    void shouldCountEachSessionOnce() {
        IncrementalSession first = sessions.open(true, 5);
        sessions.end(first);
        sessions.end(first);
        sessions.end(null);
        assertThat(meters.count(Meter.FETCH_SESSIONS).sum()).isZero();
    }
}
