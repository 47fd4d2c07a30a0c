// SPDX-License-Identifier: Apache-2.0
/**
 * Unmodified clients in many languages, each through one shared proxy to one stock broker: their records arrive, and go
 * by RDMA.
 */
package io.slipstream.it.clients;
