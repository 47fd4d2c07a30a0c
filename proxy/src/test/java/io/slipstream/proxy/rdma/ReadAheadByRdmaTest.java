// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.concat;
import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The proxy reads ahead for a client. */
class ReadAheadByRdmaTest extends FetchScene {
    @Test
    void shouldReadAheadForAClientThatReadsOn() {
        List<byte[]> batches = batches(8);
        for (int i = 0; i < 8; i++) {
            assertThat(records(fetched(fetch().partition(0, i, 600)))).isEqualTo(batches.get(i));
            // The rest at the end is smaller than an answer.
            long ahead = i < 6 ? batches.get(0).length : 0;
            await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) >= ahead);
        }
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isZero();
    }

    private List<byte[]> batches(int count) {
        List<byte[]> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // All different, and each so long that an answer of 600 bytes contains one of them.
            batches.add(append(("" + i).repeat(500)));
        }
        return batches;
    }

    private void awaitReadAhead() {
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) > 0);
    }

    @Test
    void shouldForgetWhatWasReadAheadOfASeek() {
        List<byte[]> batches = batches(8);
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        assertThat(records(fetched(fetch().partition(0, 5, 600)))).isEqualTo(batches.get(5));
        assertThat(records(fetched(fetch().partition(0, 7, 600)))).isEqualTo(batches.get(7));
        assertThat(fixture.meters.value(Meter.PREFETCHED_BYTES)).isZero();
    }

    @Test
    void shouldReadAgainWhatWasReadAheadUnderAGrantThatIsOver() {
        byte[] before = batches(8).get(1).clone();
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        peer.run(() -> {
            log.overwrite(1, (byte) 'x');
            log.generation++;
            peer.publish(log);
        });
        assertThat(records(fetched(fetch().partition(0, 1, 600))))
                .isNotEqualTo(before)
                .isEqualTo(peer.on(() -> log.batchAt(1).bytes()));
    }

    @Test
    void shouldGiveBackWhatNobodyComesFor() {
        batches(4);
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.PREFETCHED_BYTES) == 0);
    }

    @Test
    void shouldServeMoreThanWasReadAhead() {
        List<byte[]> batches = batches(6);
        fetched(fetch().partition(0, 0, 600));
        awaitReadAhead();
        assertThat(records(fetched(fetch().partition(0, 1, 1200)))).isEqualTo(concat(batches.get(1), batches.get(2)));
    }
}
