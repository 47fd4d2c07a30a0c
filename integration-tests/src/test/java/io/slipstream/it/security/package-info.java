// SPDX-License-Identifier: Apache-2.0
/** Authorization of RDMA requests on authenticated listeners. */
package io.slipstream.it.security;
