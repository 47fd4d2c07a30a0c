// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.nio.file.Path;

/** One segment file of a log. */
public interface ReadableSegment {
    /**
     * The broker's segment object: what the hooks name. A segment that is recreated at the same base offset is another
     * object.
     */
    Object identity();

    long baseOffset();

    /** Where the file was when the segment was located. */
    Path file();

    /** Bytes of batches in the file now. */
    int sizeBytes();

    /** Whether the log still has this very segment, and {@link #file()} still names its file. */
    boolean isCurrent();
}
