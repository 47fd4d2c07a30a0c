// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.process.BrokerProcess;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/**
 * The same over a kernel's RDMA device, where a grant is a window of a segment. {@code SeekingOverVerbs} runs it inside
 * the Soft-RoCE machine.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class SeekingConsumersInMachine extends SeekingConsumersIT {
    @Override
    BrokerProcess.Builder withPlugin(BrokerProcess.Builder broker) {
        return broker.withVerbs();
    }
}
