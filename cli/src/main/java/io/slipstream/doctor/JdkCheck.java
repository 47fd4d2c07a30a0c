// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;

/** Checks the version of the running JVM. The launcher starts every process with the same one. */
final class JdkCheck implements Check {
    private static final int OLDEST = 17;

    @Override
    public List<Finding> examine() {
        Runtime.Version version = Runtime.version();
        String state = version + " at " + System.getProperty("java.home") + ", " + System.getProperty("os.arch");
        return List.of(
                version.feature() >= OLDEST
                        ? Finding.ok("JDK", state)
                        : Finding.fail("JDK", state, "install JDK 17 or newer and set JAVA_HOME"));
    }
}
