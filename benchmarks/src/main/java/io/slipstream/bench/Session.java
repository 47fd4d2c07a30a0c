// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.TreeMap;

/** The state of a run that suites share. Not safe for concurrent use. */
public final class Session implements AutoCloseable {
    private final BenchOptions options;
    private final Progress progress;
    /** By whether the followers of several brokers fetch by RDMA. One broker serves all ways. */
    private final TreeMap<Boolean, BenchStage> stages = new TreeMap<>();
    /** Null unless requested and possible. */
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

    /** Returns the shared broker with its proxies. The first suite starts it; later ones find it warm. */
    BenchStage stage() throws IOException {
        return stage(Way.DIRECT);
    }

    /** Returns the stage of a way. With several brokers, the way by RDMA has brokers of its own. */
    BenchStage stage(Way way) throws IOException {
        boolean withRdmaFollowers = options.brokers() > 1 && way.isRdma();
        BenchStage stage = stages.get(withRdmaFollowers);
        if (stage == null) {
            progress.say(0, "starting the proxies and their " + (options.brokers() > 1 ? "brokers" : "broker"));
            stage = BenchStage.start(options, withRdmaFollowers);
            stages.put(withRdmaFollowers, stage);
            progress.say(0, "processes " + stage.processes(way));
        }
        return stage;
    }

    /** With {@code --profile}: runs the workloads once more to profile the stage's processes, after the rounds. */
    void profile(Suite suite, Stage from, List<Workload> workloads, Bench.Pace pace) throws InterruptedIOException {
        if (profiles != null) {
            profiles.run(suite.name(), from, workloads, pace.warmupNs());
        }
    }

    /** Ends the shared broker and its proxies, for suites that need the machine alone. */
    public void endStage() throws IOException {
        if (!stages.isEmpty()) {
            try {
                stages.pollFirstEntry().getValue().close();
            } finally {
                endStage();
            }
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
