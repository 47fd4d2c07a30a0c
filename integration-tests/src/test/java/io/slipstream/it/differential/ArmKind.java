package io.slipstream.it.differential;

/** The three ways to the broker that are compared. The first is the truth. */
enum ArmKind {
    DIRECT("direct"),
    PROXY_TCP("tcp"),
    PROXY_RDMA("rdma");

    private final String label;

    ArmKind(String label) {
        this.label = label;
    }

    static ArmKind ofLabel(String label) {
        for (ArmKind kind : values()) {
            if (kind.label.equals(label)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown arm '" + label + "'; known: direct, tcp, rdma");
    }

    /** Short, legal in topic names. */
    String label() {
        return label;
    }
}
