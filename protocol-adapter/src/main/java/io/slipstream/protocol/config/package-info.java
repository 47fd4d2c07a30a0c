// SPDX-License-Identifier: Apache-2.0
/** The definition of configuration keys of proxy and plugin. */
package io.slipstream.protocol.config;
