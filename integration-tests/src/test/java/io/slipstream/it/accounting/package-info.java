// SPDX-License-Identifier: Apache-2.0
/** What brokers know, and enforce, of consumers whose records are read one-sided. */
package io.slipstream.it.accounting;
