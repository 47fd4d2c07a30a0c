// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.slipstream.proxy.log.LogLevels;
import io.slipstream.proxy.tls.Encryption;
import java.util.concurrent.CompletableFuture;

/** The state and the switches behind the management port. Thread-safe. */
public interface ManagementPages {
    /** All meters in Prometheus' text format. */
    String metrics();

    /** Null if all event loops run, else which one does not. */
    String notLiveReason();

    /** Null if clients are served, else the reason. */
    String notReadyReason();

    /** Description of the RDMA devices in use. */
    String rdmaInUse();

    boolean isRdmaEnabled();

    void setRdmaEnabled(boolean enabled);

    /** Current activity as JSON; see {@link io.slipstream.proxy.live.LivePage}. */
    CompletableFuture<byte[]> live();

    LogLevels logLevels();

    CompletableFuture<Encryption.Reload> reloadTls();
}
