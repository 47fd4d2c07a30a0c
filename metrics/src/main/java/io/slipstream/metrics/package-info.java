// SPDX-License-Identifier: Apache-2.0
/**
 * What Slipstream measures ({@link io.slipstream.metrics.Meter}) and how: series are resolved at set-up, recorded without
 * allocation from any thread, and scraped in Prometheus' text format. Knows nothing else of Slipstream.
 */
package io.slipstream.metrics;
