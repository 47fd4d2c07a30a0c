// SPDX-License-Identifier: Apache-2.0
/** TLS towards brokers and towards clients. Without it configured, nothing here is on the data path. */
package io.slipstream.proxy.tls;
