// SPDX-License-Identifier: Apache-2.0
/**
 * Views of Produce requests and responses, and the decision whether a request may use RDMA. Views are flyweights for
 * one thread; buffers belong to the caller.
 */
package io.slipstream.protocol.produce;
