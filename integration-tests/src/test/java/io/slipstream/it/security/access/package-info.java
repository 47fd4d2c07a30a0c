// SPDX-License-Identifier: Apache-2.0
/** The same requests of many principals straight to a broker, through a proxy without RDMA, and with: the same answers and refusals. */
package io.slipstream.it.security.access;
