// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzing: what the targets share, the runs of them ({@code FuzzIT}), and the differential target. A target lies in the package of what it
 * fuzzes, which may be package-private, and its corpus under the same path in the resources. See docs/reliability.md.
 */
package io.slipstream.fuzz;
