// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;

/**
 * Opens packages of the JDK to the plugin's classes: {@code java.io} for file descriptors and {@code jdk.internal.misc}
 * for memory access. Shared memory needs both. Without this class the broker's command line would need
 * {@code --add-opens}.
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
