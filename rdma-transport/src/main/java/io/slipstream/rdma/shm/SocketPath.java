// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.LocalPeers;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a listening socket. It is bound under a temporary name, gets its mode, and is then renamed. So no other
 * process can connect before the mode is set, and a dead listener's file is replaced atomically.
 */
final class SocketPath {
    private static final Logger log = LoggerFactory.getLogger(SocketPath.class);
    /** Size of {@code sun_path} without the terminating zero (unix(7)). */
    static final int MAX_PATH_BYTES = 107;

    final Path path;
    final Path temporary;
    private Object fileKey;

    private SocketPath(Path path, Path temporary) {
        this.path = path;
        this.temporary = temporary;
    }

    /** Checks that the path is usable and that no live listener is bound to it. */
    static SocketPath claim(Path path) throws IOException {
        String suffix = "." + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x10000));
        Path temporary = path.resolveSibling(path.getFileName() + suffix);
        int length = temporary.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_PATH_BYTES) {
            throw new IOException("socket path " + path + " is " + (length - MAX_PATH_BYTES)
                    + " bytes too long; use a shorter directory");
        }
        if (path.getParent() != null && !Files.isDirectory(path.getParent())) {
            throw new IOException("cannot listen on " + path + ": its directory does not exist");
        }
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            refuseIfInUse(path);
        }
        return new SocketPath(path, temporary);
    }

    private static void refuseIfInUse(Path path) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isOther()) {
            throw new IOException("cannot listen on " + path + ": it exists and is not a socket");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            log.info("replacing the socket file {} of a dead listener", path);
            return;
        }
        throw new IOException("cannot listen on " + path + ": another process is listening there");
    }

    /** Publishes the socket under its final name. Call it after binding {@link #temporary}. */
    void publish(LocalPeers peers) throws IOException {
        peers.open(temporary);
        fileKey = key(temporary);
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes the file unless another process has replaced it. */
    void remove() {
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && key(path).equals(fileKey)) {
                Files.delete(path);
            }
        } catch (IOException e) {
            log.warn("cannot remove the socket file {}: {}", path, e.getMessage());
        }
    }

    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }
}
