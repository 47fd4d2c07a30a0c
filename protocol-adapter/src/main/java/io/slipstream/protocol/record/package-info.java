// SPDX-License-Identifier: Apache-2.0
/** Header of a record batch, and record counts from such headers. Stateless; buffers belong to the caller. */
package io.slipstream.protocol.record;
