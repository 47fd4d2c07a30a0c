// SPDX-License-Identifier: Apache-2.0
/** The Java agent: finds out which broker it is in, and installs the hooks of that line of Kafka. */
package io.slipstream.broker.agent;
