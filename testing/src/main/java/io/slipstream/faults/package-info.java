// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ./slipstream faults}: faults on real processes. A seed determines a schedule of {@link
 * io.slipstream.faults.schedule}. The same faults strike in three arms: clients directly at the brokers, through
 * proxies without RDMA, and with it. Each run records a history, which the checker checks.
 */
package io.slipstream.faults;
