// SPDX-License-Identifier: Apache-2.0
/** The parts of a device, a queue pair and a completion queue that are the same in every provider. */
package io.slipstream.rdma.provider;
