// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import java.util.Locale;

/** Which way the requests of a case take. */
enum AccessPath {
    DIRECT,
    PROXY_TCP,
    PROXY_RDMA;

    /** As part of a topic's name. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
