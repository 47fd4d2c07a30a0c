// SPDX-License-Identifier: Apache-2.0
/**
 * Applies the bugs of {@code testing/mutants}, one at a time, to a copy of the production sources, and runs unit tests
 * that must then fail.
 */
package io.slipstream.mutants;
