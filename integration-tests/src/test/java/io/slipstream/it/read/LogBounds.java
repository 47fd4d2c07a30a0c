// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import org.apache.kafka.common.TopicPartition;

/** Where a partition's log begins and ends now, as its broker says without anything of ours in between. Safe from any thread. */
interface LogBounds {
    /** Log start offset. */
    long start(TopicPartition partition);

    /** High watermark. */
    long end(TopicPartition partition);
}
