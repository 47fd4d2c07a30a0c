// SPDX-License-Identifier: Apache-2.0
/**
 * Posts work requests and handles their completions. A {@link io.slipstream.link.work.LinkPort} posts and keeps a
 * {@link io.slipstream.link.work.CompletionHandler} for each request; a {@link io.slipstream.link.work.CompletionPump}
 * polls the completion queue in the turns of its event loop ({@link io.slipstream.link.work.LoopTurn}), and spins or
 * lets it sleep. All are confined to one event loop and allocate nothing. Local memory of a work request belongs to the
 * device until its handler was called.
 */
package io.slipstream.link.work;
