// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzing: what the targets share, the runs of them ({@code FuzzIT}), and the differential target. The corpus of a
 * target lies under the same path in the resources. See docs/reliability.md.
 */
package io.slipstream.fuzz;
