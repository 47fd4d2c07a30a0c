// SPDX-License-Identifier: Apache-2.0
/** The cost of one request in calls of Slipstream's methods. */
package io.slipstream.it.trace;
