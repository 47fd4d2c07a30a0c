// SPDX-License-Identifier: Apache-2.0
/** Whether a commit is slower than its parent, decided from paired measurements. */
package io.slipstream.bench.gate;
