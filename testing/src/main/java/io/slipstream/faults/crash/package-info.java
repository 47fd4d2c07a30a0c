// SPDX-License-Identifier: Apache-2.0
/** {@code kill -9} of broker and proxies at random instants under load, and what recovery makes of the logs: {@code ./slipstream faults --crash}. */
package io.slipstream.faults.crash;
