// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import java.util.List;

/** The purposes of threads in broker and proxy, by name prefix. */
enum ThreadKind {
    NETWORK("network thread", "data-plane-kafka-network-thread-", "data-plane-kafka-socket-acceptor-"),
    HANDLER("request handler", "data-plane-kafka-request-handler-"),
    RING("ring thread", "slipstream-request-handler-"),
    LOOP("event loop", "slipstream-loop-"),
    PLUGIN("plugin, beside", "slipstream-"),
    FETCHER("replica fetcher", "ReplicaFetcherThread-"),
    COMPILER("compiler", "C1 CompilerThre", "C2 CompilerThre"),
    COLLECTOR("collector, VM", "G1 ", "GC Thread", "VM Thread", "VM Periodic"),
    OTHER("others", "");

    private final String label;
    private final List<String> beginnings;

    ThreadKind(String label, String... beginnings) {
        this.label = label;
        this.beginnings = List.of(beginnings);
    }

    String label() {
        return label;
    }

    static ThreadKind of(String thread) {
        for (ThreadKind kind : values()) {
            if (kind.beginnings.stream().anyMatch(thread::startsWith)) {
                return kind;
            }
        }
        throw new AssertionError("the last kind takes all");
    }
}
