// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP server for operators: health, metrics, log levels, the RDMA switch. It has an event loop of its own, and
 * passes blocking work to other threads.
 */
package io.slipstream.proxy.management;
