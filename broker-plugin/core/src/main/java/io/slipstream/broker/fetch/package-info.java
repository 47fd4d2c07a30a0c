// SPDX-License-Identifier: Apache-2.0
/**
 * Reads without the broker's CPU: segments registered for proxies, and metadata slots with their readable range. The
 * broker's logs report changes through {@link io.slipstream.broker.fetch.LogEvents}. Grants are revoked before and
 * after each change of a log's files.
 */
package io.slipstream.broker.fetch;
