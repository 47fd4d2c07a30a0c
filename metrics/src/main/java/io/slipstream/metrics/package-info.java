// SPDX-License-Identifier: Apache-2.0
/**
 * The recording of meters, which enums define ({@link io.slipstream.metrics.MeterDefinition}). Series are resolved at
 * set-up, recorded without allocation from any thread, and exported in the Prometheus text format. This package depends
 * on no other part of Slipstream.
 */
package io.slipstream.metrics;
