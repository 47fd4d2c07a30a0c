// SPDX-License-Identifier: Apache-2.0
/**
 * Generates the tables of docs/metrics.md from the meter enums, which are authoritative. A test compares page and
 * enums.
 */
package io.slipstream.reference;
