// SPDX-License-Identifier: Apache-2.0
/** The memory for reading sockets and for answers, with access to it that does not allocate. */
package io.slipstream.proxy.buffer;
