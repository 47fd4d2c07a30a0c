// SPDX-License-Identifier: Apache-2.0
/** What the meters of a running proxy and plugin show. */
package io.slipstream.it.metrics;
