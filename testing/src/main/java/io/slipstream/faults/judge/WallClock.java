// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.Recorder;

/** Maps wall-clock times of this machine, as in logs, to the clock of a history. */
public record WallClock(long wallMs, long historyNs) {
    private static final long NS_PER_MS = 1_000_000;

    public static WallClock of(Recorder recorder) {
        return new WallClock(System.currentTimeMillis(), recorder.nowNs());
    }

    long historyNs(long otherWallMs) {
        return historyNs + (otherWallMs - wallMs) * NS_PER_MS;
    }
}
