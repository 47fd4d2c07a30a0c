// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CursorTest {
    /** The size of the next batch belongs to the former position: with it the first READ would have a wrong length. */
    @Test
    void shouldForgetTheNextBatchWhenItIsLocatedAgain() {
        PlannedPartitions partitions = new PlannedPartitions(1).cursor(0, 10, 0, 0, -1);
        Cursor cursor = partitions.cursors[0];
        cursor.advance(100, 200, 11, 5, 777);
        assertThat(cursor.nextBatchBytes).isEqualTo(777);

        partitions.cursor(0, 40, 4_000, 0, -1);

        assertThat(cursor.nextBatchBytes).isZero();
    }
}
