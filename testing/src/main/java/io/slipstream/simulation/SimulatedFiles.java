// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The file system of the world. A file is a piece of memory and a size. A name may be removed while the file is still
 * read.
 */
public final class SimulatedFiles {
    private static final Map<Path, SimulatedFile> BY_NAME = new HashMap<>();
    private static boolean preallocates;

    private SimulatedFiles() {}

    /** A file with its bytes at {@code address}. */
    public static final class SimulatedFile {
        public final long address;
        public final int capacityBytes;
        /** The log that the file belongs to. */
        public final Object owner;

        /** Bytes that are written. */
        public int sizeBytes;
        /** The file's end: beyond what is written if the file is preallocated. */
        public int endBytes;

        SimulatedFile(long address, int capacityBytes, Object owner) {
            this.address = address;
            this.capacityBytes = capacityBytes;
            this.owner = owner;
            this.endBytes = preallocates ? capacityBytes : 0;
        }

        public void write(int writtenBytes) {
            sizeBytes += writtenBytes;
            endBytes = Math.max(endBytes, sizeBytes);
        }

        public void truncate(int keptBytes) {
            sizeBytes = keptBytes;
            endBytes = keptBytes;
        }
    }

    /** Begins a world, whose new files have their whole capacity from the start, or grow. */
    static void clear(boolean preallocating) {
        BY_NAME.clear();
        preallocates = preallocating;
    }

    public static SimulatedFile create(Path name, int capacityBytes, Object owner) {
        long address = SimulatedMemory.allocate(capacityBytes);
        SimulatedFile file = new SimulatedFile(address, capacityBytes, owner);
        BY_NAME.put(name, file);
        return file;
    }

    public static void remove(Path name) {
        BY_NAME.remove(name);
    }

    public static SimulatedFile open(Path name) throws IOException {
        SimulatedFile file = BY_NAME.get(name);
        if (file == null) {
            throw new NoSuchFileException(name.toString());
        }
        return file;
    }

    /** Replaces {@link java.nio.file.Files#size}. */
    public static long size(Path name) throws IOException {
        return VirtualTime.world() == null ? java.nio.file.Files.size(name) : open(name).endBytes;
    }
}
