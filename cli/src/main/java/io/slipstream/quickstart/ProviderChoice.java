// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.rdma.RdmaProvider;

/** The values of {@code --provider}. */
enum ProviderChoice {
    AUTO,
    SHM,
    VERBS,
    TCP;

    String setting() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Returns null if this machine supports the choice, else the missing prerequisite and how to get it. */
    String obstacle() {
        return switch (this) {
            case AUTO, TCP -> null;
            case SHM, VERBS ->
                RdmaProvider.named(setting())
                        .map(provider -> provider.unavailableReason().map(this::remedy))
                        .orElseThrow()
                        .orElse(null);
        };
    }

    private String remedy(String reason) {
        return this == SHM
                ? reason
                : "no usable RDMA device: " + reason
                        + "\nTo emulate one: integration-tests/softroce/run -- ./slipstream quickstart --once --provider verbs"
                        + "\nor, as root on a kernel with rdma_rxe: rdma link add rxe0 type rxe netdev IFACE; see slipstream doctor";
    }
}
