// SPDX-License-Identifier: Apache-2.0
/**
 * Differential tests: the same seeded script straight to the broker, through the proxy with RDMA off, and through the proxy with RDMA
 * on, each on fresh topics of the same broker, must see the same responses and leave the same bytes.
 */
package io.slipstream.it.differential;
