// SPDX-License-Identifier: Apache-2.0
/**
 * Deliberate bugs that verify the tests. They are woven into classes of proxy and plugin in a running JVM; the source
 * code contains none of them. {@link io.slipstream.planted.Planting} weaves in this process, {@link
 * io.slipstream.planted.PlantingAgent} in another one.
 */
package io.slipstream.planted;
