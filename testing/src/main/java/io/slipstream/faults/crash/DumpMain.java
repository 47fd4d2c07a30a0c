// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A program for a broker's class path. It runs Kafka's DumpLogSegments over each file whose path it reads from standard
 * input. For each file it writes the lines that report damage, then {@code done BATCHES} with the number of batches.
 * One JVM serves thousands of files.
 */
public final class DumpMain {
    static final String DONE = "done ";
    private static final String TOOL = "org.apache.kafka.tools.DumpLogSegments";

    private static final String SANITY = "--index-sanity-check";

    private final Method tool;
    private final PrintStream answers;

    private DumpMain(Method tool, PrintStream answers) {
        this.tool = tool;
        this.answers = answers;
    }

    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        DumpMain main = new DumpMain(Class.forName(TOOL).getMethod("main", String[].class), System.out);
        BufferedReader paths = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path = paths.readLine(); path != null; path = paths.readLine()) {
            main.answer(path);
        }
    }

    private void answer(String path) {
        long batches = 0;
        if (path.endsWith(".log")) {
            List<String> lines = run(path, "--deep-iteration", "--skip-record-metadata");
            lines.stream().filter(DumpLines::isDamage).forEach(answers::println);
            batches = lines.stream().filter(DumpLines::isBatch).count();
        } else if (path.endsWith("index")) {
            for (String check : isOfEmptyLog(path) ? List.of(SANITY) : List.of(SANITY, "--verify-index-only")) {
                run(path, check).stream().filter(DumpLines::isDamage).forEach(answers::println);
            }
        } else {
            run(path).stream().filter(DumpLines::isDamage).forEach(answers::println);
        }
        answers.println(DONE + batches);
        answers.flush();
    }

    /** A preallocated index of zeros, in which the tool searches for entries of missing batches. */
    private static boolean isOfEmptyLog(String index) {
        return new File(index.substring(0, index.lastIndexOf('.')) + ".log").length() == 0;
    }

    /** Returns the tool's standard output and its standard error, which is marked. */
    private List<String> run(String path, String... options) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stdout = System.out;
        PrintStream stderr = System.err;
        String[] arguments = new String[options.length + 2];
        arguments[0] = "--files";
        arguments[1] = path;
        System.arraycopy(options, 0, arguments, 2, options.length);
        String thrown = "";
        try {
            System.setOut(new PrintStream(out, false, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, false, StandardCharsets.UTF_8));
            tool.invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            thrown = DumpLines.THROWN + e.getCause();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("cannot call " + TOOL, e);
        } finally {
            System.out.flush();
            System.err.flush();
            System.setOut(stdout);
            System.setErr(stderr);
        }
        return DumpLines.of(out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), thrown);
    }
}
