// SPDX-License-Identifier: Apache-2.0
/** Who may do what by RDMA, on listeners that know who is talking. */
package io.slipstream.it.security;
