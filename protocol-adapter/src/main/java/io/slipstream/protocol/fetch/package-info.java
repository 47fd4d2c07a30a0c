// SPDX-License-Identifier: Apache-2.0
/**
 * Views and writers of Fetch requests and responses. Views are flyweights for one thread and allocate nothing per
 * request; buffers belong to the caller.
 */
package io.slipstream.protocol.fetch;
