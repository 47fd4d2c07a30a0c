// SPDX-License-Identifier: Apache-2.0
/** What a run of the benchmark found, and how it is told: figures, targets, tables, plots, JSON and a directory to read. Measures nothing. */
package io.slipstream.bench.report;
