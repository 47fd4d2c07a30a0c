// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A built module: its classes, and what its tests need. */
record TestModule(Path directory) {
    private static final String CLASS = ".class";

    /** Classes, classes of tests, and what Maven says that they need. */
    String classPath() {
        try {
            return testClasses()
                    + File.pathSeparator
                    + directory.resolve("target/classes")
                    + File.pathSeparator
                    + Files.readString(directory.resolve("target/test-run.classpath"))
                            .strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names of the test classes, sorted. */
    List<String> tests() {
        Path root = testClasses();
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith("Test" + CLASS) && !file.contains("$"))
                    .map(file ->
                            file.substring(0, file.length() - CLASS.length()).replace(File.separatorChar, '.'))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path testClasses() {
        return directory.resolve("target/test-classes");
    }
}
