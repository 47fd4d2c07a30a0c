// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA in the shape of the verbs API: devices, protection domains, memory regions, queue pairs and completion queues.
 * The providers {@code shm} and {@code verbs} implement it. Nothing here knows of Kafka.
 */
package io.slipstream.rdma;
