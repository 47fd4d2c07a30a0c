// SPDX-License-Identifier: Apache-2.0
/**
 * Fetch requests and responses, read and written where they lie. Views are flyweights for one thread and allocate
 * nothing per request; buffers stay the caller's.
 */
package io.slipstream.protocol.fetch;
