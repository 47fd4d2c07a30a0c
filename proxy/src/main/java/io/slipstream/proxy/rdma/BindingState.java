// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;

/**
 * State of the binding of a client connection.
 *
 * <pre>
 *   Unbound ──first request──▶ AwaitingLink ──▶ AwaitingNonce ──▶ AwaitingBroker ──▶ AwaitingConfirm ──▶ Bound
 *      ▲                            │                │ refused         │ odd answer        │               │
 *      └──── after the pause ───────┴────────────────┴─────────────────┴───────────────────┤               │
 *      └──── link lost ────────────────────────────────────────────────────────────────────│───────────────┘
 *                                                        RDMA_OFF ──▶ Refused, while the link is up
 *   any ──client gone──▶ Closed
 * </pre>
 */
sealed interface BindingState {
    /** Requests fall back for {@code reason} until {@code retryAtNs}; the next one after that starts a new attempt. */
    record Unbound(FallbackReason reason, long retryAtNs) implements BindingState {}

    record AwaitingLink() implements BindingState {}

    record AwaitingNonce() implements BindingState {}

    /** The nonce is on its way to the broker on the client's own upstream connection. */
    record AwaitingBroker() implements BindingState {}

    record AwaitingConfirm() implements BindingState {}

    record Bound(LiveLink link, int sessionId) implements BindingState {}

    record Refused(LiveLink link) implements BindingState {}

    record Closed() implements BindingState {}
}
