/**
 * Bugs on purpose, to show that the tests find them. They are woven into classes of proxy and plugin in a running JVM;
 * the code itself has none of them. {@link io.slipstream.planted.Planting} weaves in this process, {@link
 * io.slipstream.planted.PlantingAgent} in another one.
 */
package io.slipstream.planted;
