// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.io.IOException;
import java.util.List;

/** Running brokers and the ways to them; the first way is the truth. */
interface Arms extends AutoCloseable {
    List<Arm> all();

    /** What a case needs in that arm. */
    ArmContext context(Arm arm, String caseName, long seed) throws IOException;

    @Override
    void close() throws IOException;
}
