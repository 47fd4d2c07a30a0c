// SPDX-License-Identifier: Apache-2.0
/** Many proxies at one broker: what their links cost it, and how they come back. */
package io.slipstream.it.links;
