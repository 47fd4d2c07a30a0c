// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import io.slipstream.process.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Short commands of the operating system. */
final class Commands {
    private Commands() {}

    /**
     * Runs the command and returns its output.
     *
     * @throws IllegalStateException with the output if the status is not 0
     */
    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(Patience.ms(10_000), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException(String.join(" ", command) + ": " + output);
        }
        return output;
    }
}
