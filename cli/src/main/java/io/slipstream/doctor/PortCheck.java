// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import io.slipstream.process.Ports;
import java.util.List;
import java.util.stream.IntStream;

/** Checks that the default ports of proxy and quickstart are free. */
final class PortCheck implements Check {
    private static final int FIRST = 9091;
    private static final int LAST = 9095;

    @Override
    public List<Finding> examine() {
        List<Integer> taken = IntStream.rangeClosed(FIRST, LAST)
                .filter(port -> !Ports.isFree(port))
                .boxed()
                .toList();
        if (taken.isEmpty()) {
            return List.of(
                    Finding.ok("ports", FIRST + "–" + LAST + " of 127.0.0.1 are free (metrics, bootstrap, brokers)"));
        }
        return List.of(Finding.warn(
                "ports",
                "in use: " + taken,
                "quickstart --port N; proxy: listen.port, broker.port.base, management.port"));
    }
}
