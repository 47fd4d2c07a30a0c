// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.io.IOException;
import java.util.List;

/** Running brokers and the paths to them; the first path is the reference. */
interface Arms extends AutoCloseable {
    List<Arm> all();

    /** Returns the tools of a case in that arm. */
    ArmContext context(Arm arm, String caseName, long seed) throws IOException;

    @Override
    void close() throws IOException;
}
