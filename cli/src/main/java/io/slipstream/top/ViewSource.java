// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import java.io.IOException;
import java.util.List;

/** What {@code top} watches. One thread. */
interface ViewSource {
    /** The activity of one interval. Immutable, and written as JSON by its fields. */
    interface View {
        /** Lays out the view; uses size, rows and order of the layout. */
        List<StyledLine> lines(TopScreen layout);
    }

    /**
     * Reads the pages now.
     *
     * @return what happened since the last call; null at the first call
     * @throws IOException if nothing answers, with a message for the user
     * @throws IllegalArgumentException if there is no view because a watched process has restarted
     */
    View next() throws IOException;
}
