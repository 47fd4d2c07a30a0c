// SPDX-License-Identifier: Apache-2.0
/** Recovery of torn logs by brokers, with and without the agent. */
package io.slipstream.it.recovery;
