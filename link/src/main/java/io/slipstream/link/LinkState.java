// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.slipstream.link.control.LinkObstacle;

/**
 * Where a {@link BrokerLink} stands.
 *
 * <pre>
 *   Absent       ──first request───────────────────────────────────────▶ Connecting
 *   Connecting   ──attached──▶ Up     ──no plugin, refused, deadline───▶ Down
 *   Up           ──queue pair, control connection or protocol broken───▶ Down
 *   Down         ──after the pause, which doubles──────────────────────▶ Reconnecting
 *   Down without plugin or provider ──next request after the pause─────▶ Connecting
 *   Reconnecting ──attached──▶ Up     ──as in Connecting───────────────▶ Down
 *   any          ──close───────────────────────────────────────────────▶ Closed
 * </pre>
 */
sealed interface LinkState {
    /** Nobody has asked yet. */
    record Absent() implements LinkState {}

    /** Requests wait for the outcome. */
    record Connecting(LinkEstablisher attempt) implements LinkState {}

    /** Requests take TCP meanwhile: a loss should cost them no time. */
    record Reconnecting(LinkEstablisher attempt) implements LinkState {}

    record Up(LiveLink link) implements LinkState {}

    /**
     * Everything takes TCP until the pause is over. Then the link is tried again: at once, or with the next request if
     * there was no plugin.
     */
    record Down(LinkObstacle reason, long retryAtNs) implements LinkState {}

    record Closed() implements LinkState {}
}
