// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import org.apache.kafka.common.TopicPartition;

/** The current start and end of a partition's log, directly from its broker. Safe for concurrent use. */
interface LogBounds {
    /** Log start offset. */
    long start(TopicPartition partition);

    /** High watermark. */
    long end(TopicPartition partition);
}
