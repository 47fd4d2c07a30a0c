// SPDX-License-Identifier: Apache-2.0
/**
 * Concurrency and faults: stock clients stream self-describing records while processes die, links break and strangers
 * connect.
 */
package io.slipstream.it.fault;
