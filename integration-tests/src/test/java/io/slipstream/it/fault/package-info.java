// SPDX-License-Identifier: Apache-2.0
/** Concurrency and faults: stock clients stream self-describing records while processes die, links break and strangers knock. */
package io.slipstream.it.fault;
