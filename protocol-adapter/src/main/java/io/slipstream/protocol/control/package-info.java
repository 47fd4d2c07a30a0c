// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between a proxy and a plugin on the control channel. A record's components are its fields on the wire,
 * and the numbers of messages and errors are written out. Codecs are stateless; buffers belong to the caller.
 * Names no class that some supported broker lacks.
 */
package io.slipstream.protocol.control;
