// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.List;

/** A catalogue with each kind of meter and of label. */
enum TestMeter implements MeterDefinition {
    REQUESTS(Kind.COUNTER, Label.open("api"), Label.of("path", "tcp", "rdma")),
    FALLBACKS(Kind.COUNTER, Label.of("reason", "no_plugin", "limit", "replica")),
    REQUEST_LATENCY(Kind.LATENCY, Label.open("api"), Label.of("path", "tcp", "rdma")),
    TRANSPORT_OPERATIONS(Kind.COUNTER, Label.of("opcode", "read", "write")),
    TRANSPORT_LATENCY(Kind.LATENCY, Label.of("operation", "read", "write")),
    REGISTERED_BYTES(Kind.GAUGE),
    CONNECTIONS(Kind.GAUGE, Label.of("side", "client", "upstream")),
    RDMA_DEVICE(Kind.GAUGE, Label.open("provider"), Label.open("device")),
    LINKS_UP(Kind.GAUGE),
    GRANTS_REFUSED(Kind.COUNTER, Label.of("kind", "session", "read"), Label.allBut("reason", Reason.NONE));

    private enum Reason {
        NONE,
        LIMIT
    }

    private final Properties properties;

    TestMeter(Kind kind, Label... labels) {
        properties = new Properties("slipstream_", kind, name() + ".", List.of(labels));
    }

    @Override
    public Properties properties() {
        return properties;
    }
}
