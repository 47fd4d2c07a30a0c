// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import io.slipstream.harness.secured.SecureListener;
import java.io.IOException;

/**
 * A row of the table: who asks for what, and where.
 *
 * @param listener null: PLAINTEXT
 * @param user null: nobody says who he is; such users are super users of these brokers
 * @param expected what the answer must contain besides being the same on all paths, so that a broker that allows or refuses everything is noticed
 * @param rdmaApi PRODUCE or FETCH, which must have gone by RDMA where that is on; null if that may go either way
 */
record AccessCase(
        String operation, SecureListener listener, String user, Script script, String expected, String rdmaApi) {

    /** Sends requests and says what came back. */
    interface Script {
        String run(AccessClient client) throws IOException;
    }

    @Override
    public String toString() {
        return (listener == null ? "PLAINTEXT" : listener.name()) + ", " + (user == null ? "super user" : user) + ": "
                + operation;
    }
}
