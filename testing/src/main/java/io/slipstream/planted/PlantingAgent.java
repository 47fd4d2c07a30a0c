// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import java.lang.instrument.Instrumentation;

/** Plants the bug named by the agent argument into the process: {@code -javaagent:planted-bugs.jar=NAME}. */
public final class PlantingAgent {
    private PlantingAgent() {}

    public static void premain(String name, Instrumentation instrumentation) {
        PlantedBug bug = PlantedBugs.named(name);
        Planting.of(bug, instrumentation);
        System.err.println("planted bug " + bug.name() + ": " + bug.breaks());
    }
}
