// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;

/**
 * Opens the packages of the JDK that shared memory needs to the plugin's classes: descriptors of files
 * ({@code java.io}) and memory access ({@code jdk.internal.misc}). Otherwise the broker's command line would have to.
 */
final class ModuleAccess {
    private static final String[] PACKAGES = {"java.io", "jdk.internal.misc"};

    private ModuleAccess() {}

    static void open(Instrumentation instrumentation) {
        Module base = Object.class.getModule();
        Set<Module> plugin = Set.of(ModuleAccess.class.getModule());
        for (String name : PACKAGES) {
            instrumentation.redefineModule(
                    base, Set.of(), Map.of(name, plugin), Map.of(name, plugin), Set.of(), Map.of());
        }
    }
}
