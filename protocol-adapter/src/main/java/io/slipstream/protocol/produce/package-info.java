// SPDX-License-Identifier: Apache-2.0
/**
 * Produce requests and responses, read where they lie, and whether a request may go by RDMA. Views are flyweights
 * for one thread; buffers stay the caller's.
 */
package io.slipstream.protocol.produce;
