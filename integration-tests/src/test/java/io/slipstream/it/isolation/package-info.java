// SPDX-License-Identifier: Apache-2.0
/** Stopped proxies and tight limits take nothing from a stock broker with the plugin that it needs. */
package io.slipstream.it.isolation;
