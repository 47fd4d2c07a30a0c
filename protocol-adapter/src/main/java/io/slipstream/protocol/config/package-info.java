// SPDX-License-Identifier: Apache-2.0
/** What proxy and plugin print of their own configuration. */
package io.slipstream.protocol.config;
