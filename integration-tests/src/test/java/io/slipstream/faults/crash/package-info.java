// SPDX-License-Identifier: Apache-2.0
/** Tests of the crash tests, and a short run of them. */
package io.slipstream.faults.crash;
