// SPDX-License-Identifier: Apache-2.0
/** The kinds of faults and their schedule: pure functions of a seed, independent of processes. */
package io.slipstream.faults.schedule;
