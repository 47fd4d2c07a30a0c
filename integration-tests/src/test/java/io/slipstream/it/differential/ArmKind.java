// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.util.Arrays;
import java.util.List;

/** The compared paths to the broker. The first one is the reference. */
enum ArmKind {
    DIRECT("direct"),
    PROXY_TCP("tcp"),
    PROXY_RDMA("rdma");

    private final String label;

    ArmKind(String label) {
        this.label = label;
    }

    /**
     * Returns the default arms, or those of {@code -Dslipstream.arms=direct,tcp,rdma}, for work on one path alone. The
     * same arm twice ({@code direct,direct}) tests the scripts themselves.
     */
    static List<ArmKind> selected(List<ArmKind> usual) {
        String labels = System.getProperty("slipstream.arms");
        return labels == null
                ? usual
                : Arrays.stream(labels.split(",")).map(ArmKind::ofLabel).toList();
    }

    private static ArmKind ofLabel(String label) {
        for (ArmKind kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown arm '" + label + "'; known: direct, tcp, rdma");
    }

    boolean byRdma() {
        return this == PROXY_RDMA;
    }

    /** Short, and legal in topic names. */
    String label() {
        return label;
    }
}
