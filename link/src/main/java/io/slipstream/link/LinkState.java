// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.meter.FallbackReason;

/**
 * State of a {@link BrokerLink}.
 *
 * <pre>
 *   Absent       ──first request───────────────────────────────────────▶ Connecting
 *   Connecting   ──attached──▶ Up     ──no plugin, refused, deadline───▶ Down
 *   Up           ──queue pair, control connection or protocol failed───▶ Down
 *   Up           ──no session for minutes──────────────────────────────▶ Absent
 *   Down         ──after the pause, which doubles──────────────────────▶ Reconnecting
 *   Down         ──after the pause, nobody wanted it for minutes───────▶ Absent
 *   Down without plugin or provider ──next request after the pause─────▶ Connecting
 *   Reconnecting ──attached──▶ Up     ──as in Connecting───────────────▶ Down
 *   any          ──close───────────────────────────────────────────────▶ Closed
 * </pre>
 */
sealed interface LinkState {
    /** No request has come yet, or none for a while. */
    record Absent() implements LinkState {}

    /** Requests wait for the outcome. */
    record Connecting(LinkEstablisher attempt) implements LinkState {}

    /** Requests take TCP meanwhile, so that the loss of a link does not delay them. */
    record Reconnecting(LinkEstablisher attempt) implements LinkState {}

    record Up(LiveLink link) implements LinkState {}

    /**
     * All requests take TCP until the pause is over. Then the link is retried: at once, or on the next request if the
     * plugin was absent.
     */
    record Down(FallbackReason reason, long retryAtNs) implements LinkState {}

    record Closed() implements LinkState {}
}
