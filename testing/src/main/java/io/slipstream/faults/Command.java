// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Short programs of the system: kill, ss, prlimit, mount. */
final class Command {
    private static final int PATIENCE_S = 10;

    private Command() {}

    /** @param output standard output and error together */
    record Result(int status, String output) {
        boolean succeeded() {
            return status == 0;
        }
    }

    /** Status 127 if the program is missing, -1 if it does not end in time. */
    static Result run(String... words) {
        Process process;
        try {
            process = new ProcessBuilder(words).redirectErrorStream(true).start();
        } catch (IOException missing) {
            return new Result(127, missing.getMessage());
        }
        try {
            // A few kilobytes at the most, which the program writes before it ends.
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
        return new Result(-1, "does not end: " + String.join(" ", words));
    }

    /** As {@link #run}; throws {@link FaultFailure} with the program's output unless it succeeds. */
    static String require(String... words) {
        Result result = run(words);
        if (!result.succeeded()) {
            throw new FaultFailure(String.join(" ", List.of(words)) + ": " + result.output);
        }
        return result.output;
    }
}
