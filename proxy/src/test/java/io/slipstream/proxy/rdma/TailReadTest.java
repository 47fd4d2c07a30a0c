// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchAnswers.only;
import static io.slipstream.proxy.fetch.FetchAnswers.records;
import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.fetch.FetchFrames;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader at the log's end of a device, which guesses how many bytes the next answer has. */
class TailReadTest extends FetchScene {
    private static final int FILE_BYTES = 1 << 20;

    @Override
    String provider() {
        return FastPathFixture.REGISTERED_MEMORY;
    }

    @BeforeEach
    void preallocate() {
        RegisteredOnlyProvider.pinsFiles = true;
        peer.run(() -> log.preallocate(FILE_BYTES));
    }

    @AfterEach
    void pinNoFiles() {
        RegisteredOnlyProvider.pinsFiles = false;
    }

    private byte[] fetchedAt(long offset) {
        return records(fetched(fetch().with(d -> d.setMaxWaitMs(1)).partition(0, offset, MB)));
    }

    /** Appends and fetches it. Returns how many READs reported their completion; those of leases count, too. */
    private int completionsOf(String value, long offset) {
        byte[] batch = append(value);
        int before = SlowReads.COMPLETED.get();
        assertThat(fetchedAt(offset)).isEqualTo(batch);
        return SlowReads.COMPLETED.get() - before;
    }

    @Test
    void shouldWaitForOneCompletionWhereTheGuessIsRight() {
        assertThat(completionsOf("a", 0)).as("slots, data, slots").isGreaterThanOrEqualTo(3);
        assertThat(IntStream.range(1, 20)
                        .map(offset -> completionsOf("b", offset))
                        .min())
                .hasValue(1);
    }

    @Test
    void shouldReadWhateverIsThereWhereTheGuessIsWrong() {
        completionsOf("a".repeat(100), 0);
        completionsOf("less", 1);
        completionsOf("more".repeat(300), 2);
        assertThat(fetchedAt(3)).as("nothing").isEmpty();
        assertThat(fetchedAt(3)).as("nothing again").isEmpty();
        completionsOf("more than any guess".repeat(5_000), 3);
        completionsOf("e", 4);
        assertThat(locates()).isEqualTo(1);
    }

    /** A region may be released a lease after its grant ended, and a READ of it would end the link. */
    @Test
    void shouldNotGuessLongAfterTheGrantWasSeen() {
        completionsOf("a", 0);
        completionsOf("b", 1);
        long seenAtNs = System.nanoTime();
        await().atMost(SOON)
                .until(() -> System.nanoTime() - seenAtNs > TimeUnit.MILLISECONDS.toNanos(PluginPeer.LEASE_MS / 2));

        assertThat(completionsOf("b", 2)).as("slots, data, slots").isGreaterThanOrEqualTo(3);
    }

    @Test
    void shouldGuessWhenTheDoorbellRings() {
        append("a");
        fetchedAt(0);
        int fewest = Integer.MAX_VALUE;
        for (int offset = 1; offset < 20; offset++) {
            FetchFrames patient = fetch().with(d -> d.setMaxWaitMs(30_000)).partition(0, offset, MB);
            TestClient.Request waiting = client.submit(patient.bytes());
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(SOON)
                    .until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
            int before = SlowReads.COMPLETED.get();
            byte[] batch = append("b");
            assertThat(records(only(parse(waiting.await(), 17)))).isEqualTo(batch);
            fewest = Math.min(fewest, SlowReads.COMPLETED.get() - before);
        }
        assertThat(fewest).isEqualTo(1);
    }

    @Test
    void shouldServeTheLogsBytesWhateverItsSizes() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        long offset = 0;
        for (int round = 0; round < 200; round++) {
            int sizeBytes = random.nextInt(4) == 0 ? random.nextInt(3000) : 50;
            byte[] batch = random.nextInt(4) == 0 ? new byte[0] : append("v".repeat(sizeBytes));
            assertThat(fetchedAt(offset)).as("seed %d, round %d", seed, round).isEqualTo(batch);
            offset += batch.length == 0 ? 0 : 1;
        }
    }
}
