// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One command that ran in the machine.
 *
 * @param status the command's exit status, or one listed by {@code softroce/run --help}; -1 if the machine had to be
 * stopped
 * @param log all output
 * @param took time including boot
 */
record GuestRun(GuestKernel kernel, List<String> command, int status, Path log, Duration took, String logTail) {
    GuestRun succeeded() {
        assertThat(status).as("exit status of %s", this).isZero();
        return this;
    }

    @Override
    public String toString() {
        String text = String.join(" ", command);
        return "status " + status + " after " + took.toSeconds() + " s on " + kernel + ", command "
                + text.substring(Math.max(0, text.length() - 400)) + logTail;
    }
}
