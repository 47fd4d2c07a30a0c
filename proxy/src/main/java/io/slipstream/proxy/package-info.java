// SPDX-License-Identifier: Apache-2.0
/** The program: command line, start and stop, and the assembly of its parts ({@link io.slipstream.proxy.Sidecar}). */
package io.slipstream.proxy;
