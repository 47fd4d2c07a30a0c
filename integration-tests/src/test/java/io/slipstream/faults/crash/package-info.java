// SPDX-License-Identifier: Apache-2.0
/** A short run of the crash tests, and tests of their tools. */
package io.slipstream.faults.crash;
