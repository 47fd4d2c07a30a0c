// SPDX-License-Identifier: Apache-2.0
/** Which faults there are and when they strike: pure functions of a seed, which know of no process. */
package io.slipstream.faults.schedule;
