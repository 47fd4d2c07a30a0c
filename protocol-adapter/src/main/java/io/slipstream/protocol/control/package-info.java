// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between proxy and plugin on the control channel. The components of a record are its fields on the wire.
 * Messages and errors have explicit numbers. Codecs are stateless; buffers belong to the caller. The package uses only
 * classes that all supported brokers have.
 */
package io.slipstream.protocol.control;
