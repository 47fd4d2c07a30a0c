// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ./slipstream faults --crash}: {@code kill -9} of broker and proxies at random times under load, and checks of
 * the recovered logs.
 */
package io.slipstream.faults.crash;
