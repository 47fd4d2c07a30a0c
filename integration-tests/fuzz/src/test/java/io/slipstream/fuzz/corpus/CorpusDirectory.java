// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.corpus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** The corpora in the resources, where Jazzer expects them: {@code PACKAGE/CLASSInputs/METHOD/NAME}. */
final class CorpusDirectory {
    private final Path resources;

    CorpusDirectory(Path resources) {
        this.resources = resources;
    }

    /** @param target package below io.slipstream, class and method, separated by slashes */
    void add(String target, String name, byte[] head, byte[] bytes) {
        int method = target.lastIndexOf('/');
        Path file = resources
                .resolve("io/slipstream")
                .resolve(target.substring(0, method) + "Inputs")
                .resolve(target.substring(method + 1))
                .resolve(name);
        try {
            Files.createDirectories(file.getParent());
            Files.write(
                    file,
                    ByteBuffer.allocate(head.length + bytes.length)
                            .put(head)
                            .put(bytes)
                            .array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
