// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;

/** The Java that runs this; the launcher starts everything with the same. */
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
