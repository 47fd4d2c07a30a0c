// SPDX-License-Identifier: Apache-2.0
/**
 * Reads without the broker's CPU: segments that are registered for proxies, and metadata slots that say what may be
 * read of them. The broker's logs report changes through {@link io.slipstream.broker.fetch.LogEvents}; what a proxy may
 * read is revoked before and after each change of files.
 */
package io.slipstream.broker.fetch;
