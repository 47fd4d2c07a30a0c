// SPDX-License-Identifier: Apache-2.0
/** What brokers make of logs that a crash tore, with the agent and without it. */
package io.slipstream.it.recovery;
