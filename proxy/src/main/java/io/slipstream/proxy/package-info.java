// SPDX-License-Identifier: Apache-2.0
/**
 * The program: command line, start and stop, and how its parts are put together ({@link
 * io.slipstream.proxy.Sidecar}).
 */
package io.slipstream.proxy;
