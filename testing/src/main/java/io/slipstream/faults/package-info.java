/**
 * Faults on real processes: {@code ./slipstream faults}. A seed gives a schedule, which {@link
 * io.slipstream.faults.schedule} holds. The same faults strike three times: with clients straight at the brokers,
 * through proxies without RDMA, and with it. Each run leaves a history, which the checker judges.
 */
package io.slipstream.faults;
