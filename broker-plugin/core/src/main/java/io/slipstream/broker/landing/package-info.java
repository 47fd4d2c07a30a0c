/**
 * Segment landing at the broker: a proxy places the batches of a partition straight into the log's active segment, and the broker's own
 * append commits them where they lie. Open {@link io.slipstream.broker.landing.Landing} first.
 */
package io.slipstream.broker.landing;
