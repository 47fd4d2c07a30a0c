// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.client;

import io.slipstream.rdma.RdmaProvider;
import java.nio.file.Path;

/** The provider under test: shm, or the value of {@code -Dslipstream.test.provider} on a host with a device. */
public final class TestProvider {
    public static final String NAME = System.getProperty("slipstream.test.provider", "shm");

    private TestProvider() {}

    public static RdmaProvider get() {
        return RdmaProvider.named(NAME).orElseThrow();
    }

    /** Returns an address to listen on. */
    public static String address(Path socket) {
        return NAME.equals("verbs") ? ":0" : socket.toString();
    }
}
