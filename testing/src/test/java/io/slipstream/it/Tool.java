// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Programs that a test needs. A test without its program is skipped with the name; in continuous integration it fails.
 */
public final class Tool {
    private static final boolean MUST_BE_THERE = "1".equals(System.getenv("SLIPSTREAM_CI"));

    private Tool() {}

    public static void require(String program, String debianPackage) {
        boolean found = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
        if (!found) {
            unavailable(program + " is not installed; apt-get install " + debianPackage);
        }
    }

    /** Never returns normally. */
    public static void unavailable(String reason) {
        if (MUST_BE_THERE) {
            fail(reason);
        }
        abort(reason);
    }
}
