// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ClientEvent.WatermarksObserved;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.TopicPartition;

/** Requests watermarks at intervals and records them. */
final class ObserverRole extends Role {
    private static final int PER_SECOND = 5;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final List<TopicPartition> partitions;

    ObserverRole(RecordedRun run, ClientSettings settings, List<TopicPartition> partitions) {
        super("observer", run);
        this.run = run;
        this.settings = settings;
        this.partitions = partitions;
    }

    @Override
    Session open() {
        Watermarks watermarks = new Watermarks(settings);
        Pace pace = new Pace(PER_SECOND);
        return new Session() {
            @Override
            public void step() {
                pace.await(1);
                observe(watermarks);
            }

            @Override
            public void finish() {
                observe(watermarks);
            }

            @Override
            public void close() {
                watermarks.close();
            }
        };
    }

    private void observe(Watermarks watermarks) {
        long invokedNs = run.recorder().nowNs();
        Map<TopicPartition, ListOffsetsResultInfo> high = watermarks.high(partitions);
        Map<TopicPartition, ListOffsetsResultInfo> starts = watermarks.starts(partitions);
        Map<TopicPartition, ListOffsetsResultInfo> stable = watermarks.stable(partitions);
        long atNs = run.recorder().nowNs();
        for (TopicPartition partition : partitions) {
            ListOffsetsResultInfo end = high.get(partition);
            if (!end.leaderEpoch().equals(stable.get(partition).leaderEpoch())) {
                // The three answers may come from different leaders, or from before and after a restart, so they are no
                // single observation.
                continue;
            }
            run.recorder()
                    .record(new WatermarksObserved(
                            invokedNs,
                            atNs,
                            name(),
                            run.number(partition),
                            end.leaderEpoch().orElse(-1),
                            end.offset(),
                            stable.get(partition).offset(),
                            starts.get(partition).offset()));
        }
    }
}
