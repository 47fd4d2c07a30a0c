// SPDX-License-Identifier: Apache-2.0
/** The java agent: it identifies the broker's version and installs the hooks of that line of Kafka. */
package io.slipstream.broker.agent;
