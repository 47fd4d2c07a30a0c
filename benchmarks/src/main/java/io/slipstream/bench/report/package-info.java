// SPDX-License-Identifier: Apache-2.0
/**
 * The results of a benchmark run and their formats: figures, targets, tables, plots, JSON and a report directory.
 * Measures nothing.
 */
package io.slipstream.bench.report;
