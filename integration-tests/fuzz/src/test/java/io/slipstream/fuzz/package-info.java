// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzing: shared code of the targets, their runs ({@code FuzzIT}), and the differential target. The corpus of a
 * target lies under the same path in the resources. See docs/reliability.md.
 */
package io.slipstream.fuzz;
