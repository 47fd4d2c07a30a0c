// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory.ClientConnection;

/** Opens the fast path of a session on first use, and counts fallbacks. Confined to the session's event loop. */
final class SessionFastPath {
    private final SessionContext context;
    private final ClientConnection session;
    /** Null until it is opened, or if it is unavailable. */
    private FastPath path;

    SessionFastPath(SessionContext context, ClientConnection session) {
        this.context = context;
        this.session = session;
    }

    /**
     * The fast path, or null if the request must take TCP. The reason is counted for APIs that open it. It is
     * opened for the first request of such an API: the client has authenticated by then.
     */
    FastPath of(RequestSlot slot) {
        if (!couldUseRdma(slot.apiKey, slot.apiVersion)) {
            return null;
        } else if (slot.apiKey != KafkaApi.FETCH && !RingApis.opens(slot.apiKey)) {
            return path != null && path.isBound() ? path : null;
        }
        boolean enabled = context.fastPaths.isEnabled();
        boolean known = path != null || (session.nodeId() >= 0 && session.clusterId() != null);
        if (path == null && enabled && known) {
            path = context.fastPaths.open(session);
            if (context.sessions.draining) {
                stopWaiting();
            }
        }
        if (path != null) {
            return path;
        }
        slot.reason =
                !enabled ? FallbackReason.DISABLED : known ? FallbackReason.NOT_ELIGIBLE : FallbackReason.NO_PLUGIN;
        context.meters.fallbacks(slot.reason).increment();
        return null;
    }

    private static boolean couldUseRdma(short apiKey, short version) {
        return apiKey == KafkaApi.FETCH
                ? version >= FetchRequestView.OLDEST_VERSION && version <= FetchRequestView.LATEST_VERSION
                : RingApis.carries(apiKey, version);
    }

    void stopWaiting() {
        if (path != null) {
            path.stopWaiting();
        }
    }

    void close() {
        if (path != null) {
            path.close();
        }
    }
}
