// SPDX-License-Identifier: Apache-2.0
/**
 * {@code slipstream doctor}: one check for each prerequisite of RDMA and of the quickstart. A finding reports the state
 * of a prerequisite on this machine and the remedy. The checks need no broker, no proxy and no checkout.
 */
package io.slipstream.doctor;
