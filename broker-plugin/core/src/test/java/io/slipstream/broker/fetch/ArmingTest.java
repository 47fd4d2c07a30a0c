// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reader polls, arms and sleeps as a proxy does, while a writer moves the watermark at random instants. */
class ArmingTest {
    private static final int MOVES = 30_000;

    @TempDir
    private Path directory;

    @Test
    void shouldNeverLoseAWakeUp() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Semaphore doorbell = new Semaphore(0);
        AtomicLong seen = new AtomicLong();
        AtomicBoolean failed = new AtomicBoolean();
        ScriptedLog log = new ScriptedLog("cars");
        try (ReadsFixture fixture = new ReadsFixture(2, 1 << 20)) {
            fixture.serve(log, new ScriptedSegment(directory, 0, 1000), -1);
            ReadsFixture.Link link = fixture.link(slot -> doorbell.release());
            ControlResponse.Locate granted = link.locate(ReadsFixture.session(1), "cars");
            long last = 10 + MOVES;

            Thread writer = new Thread(() -> {
                SplittableRandom random = new SplittableRandom(seed);
                for (int i = 0; i < MOVES; i++) {
                    log.move(state -> {
                        state.highWatermark++;
                        state.highWatermarkPosition++;
                        state.lastStableOffset++;
                    });
                    // Usually the watermark does not move before the reader has seen this move, so that a later move
                    // cannot hide a lost wake-up.
                    boolean waits = random.nextInt(4) != 0;
                    while (waits && seen.get() < 11 + i && !failed.get()) {
                        Thread.onSpinWait();
                    }
                    spin(random.nextInt(200));
                }
            });
            writer.start();

            SplittableRandom random = new SplittableRandom(~seed);
            int sleeps = 0;
            while (seen.get() < last) {
                long now = highWatermark(link, granted);
                assertThat(now).as("never back, seed %d", seed).isGreaterThanOrEqualTo(seen.get());
                if (now > seen.get()) {
                    seen.set(now);
                    continue;
                }
                spin(random.nextInt(100));
                link.arm(granted.slot());
                if (highWatermark(link, granted) == seen.get()) {
                    sleeps++;
                    boolean woken = doorbell.tryAcquire(10, TimeUnit.SECONDS);
                    failed.set(!woken);
                    assertThat(woken)
                            .as("asleep at %d of %d, seed %d", seen.get(), last, seed)
                            .isTrue();
                }
                doorbell.drainPermits();
            }
            writer.join(TimeUnit.SECONDS.toMillis(10));
            assertThat(writer.isAlive()).isFalse();
            System.out.println("ArmingTest: seed " + seed + ", " + sleeps + " sleeps in " + MOVES + " moves");
        }
    }

    private static void spin(int turns) {
        for (int i = 0; i < turns; i++) {
            Thread.onSpinWait();
        }
    }

    private static long highWatermark(ReadsFixture.Link link, ControlResponse.Locate granted) {
        SlotView slot = link.slot(granted.slot());
        assertThat(slot.highWatermarkPosition() - 1000L)
                .as("one publication, not a mix of two")
                .isEqualTo(slot.highWatermark() - 10)
                .isEqualTo(slot.lastStableOffset() - 10);
        return slot.highWatermark();
    }
}
