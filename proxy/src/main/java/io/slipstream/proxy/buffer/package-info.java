// SPDX-License-Identifier: Apache-2.0
/** The memory that sockets are read into and answers are written to, and how to look into it without allocating. */
package io.slipstream.proxy.buffer;
