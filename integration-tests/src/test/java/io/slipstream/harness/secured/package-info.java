// SPDX-License-Identifier: Apache-2.0
/** Brokers that let no one in without TLS or SASL, their certificates, and what clients need to get in. */
package io.slipstream.harness.secured;
