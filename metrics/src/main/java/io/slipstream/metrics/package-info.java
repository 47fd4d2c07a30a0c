// SPDX-License-Identifier: Apache-2.0
/**
 * The meters of Slipstream ({@link io.slipstream.metrics.Meter}) and their recording. Series are resolved at set-up,
 * recorded without allocation from any thread, and exported in the Prometheus text format. This package depends on no
 * other part of Slipstream.
 */
package io.slipstream.metrics;
