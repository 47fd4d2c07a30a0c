// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A segment file written by a test. */
final class ScriptedSegment implements ReadableSegment {
    private final Object identity = new Object();
    private final long baseOffset;
    private final Path file;
    volatile boolean current = true;

    ScriptedSegment(Path directory, long baseOffset, int sizeBytes) {
        this.baseOffset = baseOffset;
        this.file = directory.resolve(baseOffset + "-" + System.identityHashCode(identity) + ".log");
        try {
            Files.write(file, new byte[sizeBytes]);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public Object identity() {
        return identity;
    }

    @Override
    public long baseOffset() {
        return baseOffset;
    }

    @Override
    public Path file() {
        return file;
    }

    @Override
    public int sizeBytes() {
        try {
            return (int) Files.size(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public boolean isCurrent() {
        return current;
    }
}
