// SPDX-License-Identifier: Apache-2.0
/** TLS towards brokers, clients and plugins. Without TLS no code of this package is on the data path. */
package io.slipstream.proxy.tls;
