// SPDX-License-Identifier: Apache-2.0
/** Brokers that require TLS or SASL, their certificates, and matching client settings. */
package io.slipstream.harness.secured;
