// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A bug that a patch brings into production code.
 *
 * @param name the file's name without its ending
 * @param tests the tests that are expected to see it, in the order in which they run
 */
record Mutant(String name, String bug, List<TestPattern> tests, List<FileChange> changes) {
    private static final String ENDING = ".patch";

    /** The mutants of a directory, sorted by name. */
    static List<Mutant> all(Path directory) throws BadPatchException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*" + ENDING)) {
            found.forEach(files::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(files);
        List<Mutant> mutants = new ArrayList<>();
        for (Path file : files) {
            mutants.add(read(file));
        }
        return mutants;
    }

    private static Mutant read(Path file) throws BadPatchException {
        String name = file.getFileName().toString();
        try {
            return PatchParser.parse(name.substring(0, name.length() - ENDING.length()), Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The module whose code changes. */
    String module() {
        return changes.get(0).module();
    }
}
