// SPDX-License-Identifier: Apache-2.0
/**
 * The same requests of many principals directly at a broker, through a proxy without RDMA, and with it: equal answers
 * and refusals.
 */
package io.slipstream.it.security.access;
