// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.record;

/** Receives the records of each partition of a frame. The topic, its name or its id, is in the frame. */
@FunctionalInterface
public interface BatchSink {
    void batch(int topicStart, int topicLength, int partition, int records, int bytes);
}
