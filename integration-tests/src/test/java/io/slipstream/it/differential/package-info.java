// SPDX-License-Identifier: Apache-2.0
/**
 * Differential tests. The same seeded script runs directly at the broker, through the proxy with RDMA off, and through
 * the proxy with RDMA on, each on its own new topics. All arms must get the same responses and leave the same bytes.
 */
package io.slipstream.it.differential;
