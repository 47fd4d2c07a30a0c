// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.BrokerReadsContract;
import io.slipstream.broker.fetch.BrokerUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Runs the tests for a reader whose device pins windows of segments. */
class KafkaPinnedReadsTest extends BrokerReadsContract {
    @TempDir
    private static Path directory;

    @Override
    protected BrokerUnderTest startBroker() throws Exception {
        return EmbeddedBroker.start(directory);
    }

    @Override
    protected Path directory(String topic, int partition) {
        return directory.resolve("logs").resolve(topic + "-" + partition);
    }

    @Override
    protected boolean pinned() {
        return true;
    }
}
