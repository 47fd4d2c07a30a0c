// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.nio.file.Path;

/** One segment file of a log. */
public interface ReadableSegment {
    /**
     * Returns the broker's segment object, as the hooks pass it. A segment that is recreated at the same base offset is
     * another object.
     */
    Object identity();

    long baseOffset();

    /** Returns the path of the file when the segment was located. */
    Path file();

    /** Returns the present size of the batches in the file. */
    int sizeBytes();

    /** Returns whether the log still has this segment object and {@link #file()} still names its file. */
    boolean isCurrent();
}
