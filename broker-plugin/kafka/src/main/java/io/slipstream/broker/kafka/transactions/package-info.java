// SPDX-License-Identifier: Apache-2.0
/** Transactions of clients on rings, whose partitions this broker adds without a request to itself. */
package io.slipstream.broker.kafka.transactions;
