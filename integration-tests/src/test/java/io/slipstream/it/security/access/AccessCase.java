// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import io.slipstream.harness.secured.SecureListener;
import java.io.IOException;

/**
 * A row of the table: a user, a request and a listener.
 *
 * @param listener null: PLAINTEXT
 * @param user null: anonymous, a super user of these brokers
 * @param expected text that the answer must contain, besides being equal on all paths; detects a broker that allows or
 * refuses everything
 * @param rdmaApi API of which a request must go by RDMA if it is on; null for either path
 */
record AccessCase(
        String operation, SecureListener listener, String user, Script script, String expected, String rdmaApi) {

    /** Sends requests and returns the results. */
    interface Script {
        String run(AccessClient client) throws IOException;
    }

    @Override
    public String toString() {
        return (listener == null ? "PLAINTEXT" : listener.name()) + ", " + (user == null ? "super user" : user) + ": "
                + operation;
    }
}
