/**
 * Where READs land. Providers that pin nothing take any memory; a device takes registered memory only, of which each event loop has a
 * bounded amount.
 */
package io.slipstream.proxy.fastpath.memory;
