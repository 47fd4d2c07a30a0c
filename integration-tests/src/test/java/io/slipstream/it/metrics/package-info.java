// SPDX-License-Identifier: Apache-2.0
/** The meters of a running proxy and plugin. */
package io.slipstream.it.metrics;
