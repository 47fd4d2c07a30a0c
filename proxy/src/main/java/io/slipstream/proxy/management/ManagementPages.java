// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.slipstream.proxy.log.LogLevels;
import io.slipstream.proxy.tls.Encryption;
import java.util.concurrent.CompletableFuture;

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

    /** What goes on, as JSON; see {@link io.slipstream.proxy.live.LivePage}. */
    CompletableFuture<byte[]> live();

    LogLevels logLevels();

    CompletableFuture<Encryption.Reload> reloadTls();
}
