/**
 * Bugs on purpose, to show that they are found: woven into classes of proxy and plugin of a running JVM, in none of which they stand. In process by
 * {@link io.slipstream.planted.Planting}, in another by {@link io.slipstream.planted.PlantingAgent}.
 */
package io.slipstream.planted;
