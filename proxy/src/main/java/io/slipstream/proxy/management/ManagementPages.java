package io.slipstream.proxy.management;

/** What the management port shows and switches. Thread-safe. */
public interface ManagementPages {
    /** All meters in Prometheus' text format. */
    String metrics();

    /** Null if clients are served, else why not. */
    String notReadyReason();

    /** What of RDMA is in use, in words. */
    String rdmaInUse();

    boolean isRdmaEnabled();

    void setRdmaEnabled(boolean enabled);
}
