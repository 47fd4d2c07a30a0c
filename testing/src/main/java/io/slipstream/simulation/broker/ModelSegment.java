// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.broker.fetch.ReadableSegment;
import io.slipstream.simulation.SimulatedFiles;
import io.slipstream.simulation.SimulatedMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** One segment of a log. */
public final class ModelSegment implements ReadableSegment {
    private final ModelLog log;
    private final long baseOffset;
    private final Path name;
    private final SimulatedFiles.SimulatedFile file;
    private final ByteBuffer bytes;

    ModelSegment(ModelLog log, long baseOffset, Path name, int capacityBytes) {
        this.log = log;
        this.baseOffset = baseOffset;
        this.name = name;
        this.file = SimulatedFiles.create(name, capacityBytes, log);
        this.bytes = SimulatedMemory.at(file.address, capacityBytes).order(ByteOrder.BIG_ENDIAN);
    }

    boolean hasRoom(int sizeBytes) {
        return file.sizeBytes + sizeBytes <= file.capacityBytes;
    }

    int append(byte[] batch) {
        int position = file.sizeBytes;
        bytes.put(position, batch);
        file.write(batch.length);
        return position;
    }

    /** Inverts bytes; a second call restores them. */
    void flip(int from, int to) {
        for (int i = from; i < to; i++) {
            bytes.put(i, (byte) ~bytes.get(i));
        }
    }

    void truncate(int sizeBytes) {
        for (int i = sizeBytes; i < file.sizeBytes; i++) {
            bytes.put(i, (byte) 0);
        }
        file.truncate(sizeBytes);
    }

    void remove() {
        SimulatedFiles.remove(name);
    }

    @Override
    public Object identity() {
        return this;
    }

    @Override
    public long baseOffset() {
        return baseOffset;
    }

    @Override
    public Path file() {
        return name;
    }

    @Override
    public int sizeBytes() {
        return file.sizeBytes;
    }

    @Override
    public boolean isCurrent() {
        return log.segments().contains(this);
    }
}
