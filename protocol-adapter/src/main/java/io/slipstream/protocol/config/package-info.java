// SPDX-License-Identifier: Apache-2.0
/** The reference of configuration keys that proxy and plugin print. */
package io.slipstream.protocol.config;
