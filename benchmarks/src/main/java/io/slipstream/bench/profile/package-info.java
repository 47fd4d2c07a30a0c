// SPDX-License-Identifier: Apache-2.0
/** CPU profiles of other JVMs: samples of their stacks, and totals. */
package io.slipstream.bench.profile;
