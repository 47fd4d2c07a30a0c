// SPDX-License-Identifier: Apache-2.0
/** Where the processor time of other JVMs goes: samples of their stacks, and what they sum up to. */
package io.slipstream.bench.profile;
