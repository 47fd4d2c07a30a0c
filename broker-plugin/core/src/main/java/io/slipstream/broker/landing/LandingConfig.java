package io.slipstream.broker.landing;

/**
 * Bounds of segment landing.
 *
 * @param windowBytes how much of a segment is prepared and registered at once
 * @param mostLandings partitions into which batches are placed at a time
 * @param releaseNs how long a proxy may take to release a landing before it loses its link
 */
public record LandingConfig(int windowBytes, int mostLandings, long releaseNs) {}
