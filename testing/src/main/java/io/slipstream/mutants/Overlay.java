// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the changed sources of a mutant into a directory that precedes the class path. The checkout stays as is. */
final class Overlay {
    private final Path root;

    /** @param root the checkout */
    Overlay(Path root) {
        this.root = root;
    }

    /** The mutant's sources. */
    static List<String> changed(Path root, FileChange change) throws BadPatchException {
        Path file = root.resolve(change.file());
        if (!Files.isRegularFile(file)) {
            throw new BadPatchException("does not apply: there is no " + change.file());
        }
        try {
            return change.apply(Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the directory of classes, below {@code directory} */
    Path compile(Mutant mutant, Path directory) throws BadPatchException {
        List<Path> sources = new ArrayList<>();
        Path classes = directory.resolve("classes");
        StringBuilder classPath = new StringBuilder();
        try {
            Files.createDirectories(classes);
            for (FileChange change : mutant.changes()) {
                Path source = directory.resolve("sources").resolve(change.source());
                Files.createDirectories(source.getParent());
                Files.write(source, changed(root, change));
                sources.add(source);
                classPath
                        .append(new TestModule(root.resolve(change.module())).classPath())
                        .append(':');
            }
            run(sources, List.of("-proc:none", "-nowarn", "-cp", classPath.toString(), "-d", classes.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return classes;
    }

    private static void run(List<Path> sources, List<String> options) throws IOException, BadPatchException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            if (!compiler.getTask(messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call()) {
                throw new BadPatchException("does not compile: " + messages);
            }
        }
    }
}
