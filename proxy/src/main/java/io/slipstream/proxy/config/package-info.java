// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration keys, their documentation and their validated values. All values are validated before the proxy
 * starts; an error names the key. Immutable after that.
 */
package io.slipstream.proxy.config;
