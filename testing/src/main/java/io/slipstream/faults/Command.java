// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs short system programs: kill, ss, prlimit, mount. */
final class Command {
    private static final int PATIENCE_S = 10;

    private Command() {}

    /** @param output combined standard output and standard error */
    record Result(int status, String output) {
        boolean succeeded() {
            return status == 0;
        }
    }

    /** Status 127 means a missing program, -1 a timeout. */
    static Result run(String... words) {
        Process process;
        try {
            process = new ProcessBuilder(words).redirectErrorStream(true).start();
        } catch (IOException missing) {
            return new Result(127, missing.getMessage());
        }
        try {
            // At most a few kilobytes, which the program writes before it exits.
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                return new Result(process.exitValue(), output.strip());
            }
        } catch (IOException e) {
            return new Result(-1, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return new Result(-1, "timed out: " + String.join(" ", words));
    }

    /**
     * As {@link #run}.
     *
     * @throws FaultFailure with the program's output unless the status is 0
     */
    static String require(String... words) {
        Result result = run(words);
        if (!result.succeeded()) {
            throw new FaultFailure(String.join(" ", List.of(words)) + ": " + result.output);
        }
        return result.output;
    }
}
