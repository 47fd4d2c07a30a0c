// SPDX-License-Identifier: Apache-2.0
/** What completion queues of every provider need: who may be using something right now, and what has been done. */
package io.slipstream.rdma.completion;
