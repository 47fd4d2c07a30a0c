// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.nio.ByteBuffer;
import org.apache.kafka.common.Uuid;

/** Requests as they arrive: direct buffers from the request header on. */
final class Frames {
    private static final TopicRef TOPIC = new TopicRef("traffic", new Uuid(1, 2));

    private Frames() {}

    static ByteBuffer produce(int partitions, int valueBytes) {
        ProduceRequests request = ProduceRequests.version(ProduceRequests.NEWEST, 1);
        for (int partition = 0; partition < partitions; partition++) {
            request.add(TOPIC, partition, Batches.of(new byte[valueBytes]));
        }
        return withoutSize(request.frame());
    }

    static ByteBuffer fetch(int partitions) {
        FetchRequests request = FetchRequests.version(FetchRequests.NEWEST);
        for (int partition = 0; partition < partitions; partition++) {
            request.add(TOPIC, partition, 0);
        }
        return withoutSize(request.frame());
    }

    private static ByteBuffer withoutSize(RequestFrame frame) {
        return frame.bytes().position(Integer.BYTES).slice();
    }
}
