// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import java.util.Locale;

/** The path of a case's requests. */
enum AccessPath {
    DIRECT,
    PROXY_TCP,
    PROXY_RDMA;

    /** Part of a topic's name. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
