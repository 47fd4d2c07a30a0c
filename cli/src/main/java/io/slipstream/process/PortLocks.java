// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Ports that JVMs of one user have chosen: each holds a lock on one byte of a common file, at the port's number. The
 * kernel ends the locks with the process, however it dies. The file stays empty.
 */
final class PortLocks implements AutoCloseable {
    /** The eldest are given back after so many, for processes that start brokers for hours. */
    private static final int MOST_HELD = 2_000;

    private final FileChannel file;
    private final Deque<FileLock> held = new ArrayDeque<>();

    private PortLocks(FileChannel file) {
        this.file = file;
    }

    static PortLocks ofUser() {
        return in(Path.of(
                System.getProperty("java.io.tmpdir"), "slipstream-ports-" + System.getProperty("user.name") + ".lock"));
    }

    /** A JVM opens a file only once: closing it anywhere would end all locks of the process. */
    static PortLocks in(Path path) {
        try {
            return new PortLocks(FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open " + path, e);
        }
    }

    /** Returns false, with nothing taken, if one of the ports is taken by this JVM or another. */
    synchronized boolean take(int first, int count) {
        List<FileLock> taken = new ArrayList<>(count);
        try {
            for (int port = first; port < first + count; port++) {
                FileLock lock = file.tryLock(port, 1, false);
                if (lock == null) {
                    taken.forEach(PortLocks::release);
                    return false;
                }
                taken.add(lock);
            }
        } catch (OverlappingFileLockException ours) {
            taken.forEach(PortLocks::release);
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot lock a port's byte", e);
        }
        held.addAll(taken);
        while (held.size() > MOST_HELD) {
            release(held.removeFirst());
        }
        return true;
    }

    synchronized void release(int first, int count) {
        held.removeIf(lock -> {
            boolean named = lock.position() >= first && lock.position() < first + count;
            if (named) {
                release(lock);
            }
            return named;
        });
    }

    private static void release(FileLock lock) {
        try {
            lock.release();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unlock a port's byte", e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
