// SPDX-License-Identifier: Apache-2.0
/** The broker's accounting and quotas for consumers with one-sided reads. */
package io.slipstream.it.accounting;
