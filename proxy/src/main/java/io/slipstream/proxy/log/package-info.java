// SPDX-License-Identifier: Apache-2.0
/**
 * How and what the proxy logs: format from the configuration, levels also at run time. Payloads, keys and secrets are
 * in no message.
 */
package io.slipstream.proxy.log;
