/** Proxies that were stopped in the middle of a write into a segment, and go on with it when the segment is no longer theirs. */
package io.slipstream.it.stale;
