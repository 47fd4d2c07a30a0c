/** What the meters of a running proxy and plugin show. */
package io.slipstream.it.metrics;
