// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** A group member: polls, and sometimes commits what it polled. */
final class MemberRole extends Role {
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final int COMMIT_ONE_IN = 5;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final String group;
    private final List<String> topics;
    private final Random random;

    MemberRole(String name, RecordedRun run, ClientSettings settings, String group, List<String> topics, long seed) {
        super(name, run);
        this.run = run;
        this.settings = settings;
        this.group = group;
        this.topics = topics;
        random = new Random(seed ^ name.hashCode());
    }

    @Override
    Session open() {
        RecordingConsumer consumer = new RecordingConsumer(run, settings, ConsumerKind.GROUP, group, true);
        consumer.subscribe(topics);
        return new Session() {
            @Override
            public void step() {
                consumer.poll(PATIENCE);
                if (random.nextInt(COMMIT_ONE_IN) == 0) {
                    consumer.commit();
                }
            }

            @Override
            public void finish() {
                consumer.commit();
            }

            @Override
            public void close() {
                consumer.close();
            }
        };
    }
}
