// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;

/** A run while it runs: what the suites have in common. Not thread-safe. */
public final class Session implements AutoCloseable {
    private final BenchOptions options;
    private final Progress progress;
    private BenchStage stage;
    /** Null unless asked for, and possible. */
    private final ProfiledRun profiles;

    Session(BenchOptions options, Progress progress) {
        this.options = options;
        this.progress = progress;
        profiles =
                options.profile() == null ? null : ProfiledRun.into(options.profile(), options.profileMs(), progress);
    }

    public BenchOptions options() {
        return options;
    }

    public Progress progress() {
        return progress;
    }

    /** One broker and its proxies for all suites that need no others: started for the first of them, so warm for the next. */
    BenchStage stage() throws IOException {
        if (stage == null) {
            progress.say(0, "starting a broker and the proxies");
            stage = BenchStage.start(options);
            progress.say(0, "broker pid " + stage.brokerPid());
        }
        return stage;
    }

    /** With {@code --profile}: the workloads once more, for profiles of the stage's processes. Behind the rounds, which it must not touch. */
    void profile(Suite suite, Stage from, List<Workload> workloads, Bench.Pace pace) throws InterruptedIOException {
        if (profiles != null) {
            profiles.run(suite.name(), from, workloads, pace.warmupNs());
        }
    }

    /** Ends that broker and its proxies, for suites that want the machine to themselves. */
    public void endStage() throws IOException {
        if (stage != null) {
            stage.close();
            stage = null;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            endStage();
        } finally {
            if (profiles != null) {
                profiles.close();
            }
        }
    }
}
