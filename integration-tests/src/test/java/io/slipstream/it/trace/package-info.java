// SPDX-License-Identifier: Apache-2.0
/** What one request costs in calls of Slipstream's methods. */
package io.slipstream.it.trace;
