// SPDX-License-Identifier: Apache-2.0
/**
 * The two rings of a link. {@link io.slipstream.link.ring.RequestRingWriter} writes Kafka requests into the plugin's
 * ring. {@link io.slipstream.link.ring.ReplyRingReader} reads the replies, which the plugin writes into memory of this
 * process. Requests without credit or space wait in one FIFO queue. A request's frame is retained until the device has
 * read it. A response is copied into a pooled buffer that the client owns. Confined to one event loop.
 */
package io.slipstream.link.ring;
