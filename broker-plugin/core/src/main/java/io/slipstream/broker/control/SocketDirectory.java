// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.rdma.LocalPeers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * {@code slipstream.directory}: only the broker's user may make files in it, and only those may enter who may open its
 * sockets. Who has come is still asked of the kernel at each connection ({@link LocalPeers}).
 */
public final class SocketDirectory {
    /** Longest path that fits {@code sockaddr_un}. */
    static final int MAX_SOCKET_PATH_BYTES = 107;

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path directory;

    private SocketDirectory(Path directory) {
        this.directory = directory;
    }

    /** With leave to enter for those who may write to the sockets in it. */
    private static Set<PosixFilePermission> mode(Set<PosixFilePermission> socketMode) {
        Set<PosixFilePermission> mode = EnumSet.copyOf(OWNER_ONLY);
        if (socketMode.contains(PosixFilePermission.GROUP_WRITE)) {
            mode.add(PosixFilePermission.GROUP_EXECUTE);
        }
        if (socketMode.contains(PosixFilePermission.OTHERS_WRITE)) {
            mode.add(PosixFilePermission.OTHERS_EXECUTE);
        }
        return mode;
    }

    /** Whether nobody can do more there than in a directory of that mode, but for listing it where he may enter. */
    private static boolean isWithin(Set<PosixFilePermission> mode, Set<PosixFilePermission> found) {
        Set<PosixFilePermission> allowed = EnumSet.copyOf(mode);
        if (mode.contains(PosixFilePermission.GROUP_EXECUTE)) {
            allowed.add(PosixFilePermission.GROUP_READ);
        }
        if (mode.contains(PosixFilePermission.OTHERS_EXECUTE)) {
            allowed.add(PosixFilePermission.OTHERS_READ);
        }
        return allowed.containsAll(found);
    }

    /**
     * Makes the directory if it is missing. Throws IOException, naming path and remedy, if it is not safe or not
     * usable.
     */
    public static SocketDirectory open(Path directory, LocalPeers peers) throws IOException {
        Set<PosixFilePermission> mode = mode(peers.socketMode());
        Path absolute = directory.toAbsolutePath();
        if (!Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = absolute.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createDirectory(absolute, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        PosixFileAttributes attributes =
                Files.readAttributes(absolute, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isDirectory()) {
            throw new FileSystemException(absolute.toString(), null, "is not a directory");
        }
        String user = System.getProperty("user.name");
        if (!attributes.owner().getName().equals(user)) {
            throw new FileSystemException(
                    absolute.toString(),
                    null,
                    "belongs to " + attributes.owner().getName() + ", not to the broker's user " + user);
        }
        if (!isWithin(mode, attributes.permissions())) {
            throw new FileSystemException(
                    absolute.toString(),
                    null,
                    "is open to others (" + PosixFilePermissions.toString(attributes.permissions()) + "): chmod "
                            + octal(mode) + " it");
        }
        peers.setGroup(absolute);
        if (!attributes.permissions().containsAll(mode)) {
            Set<PosixFilePermission> wider = EnumSet.copyOf(mode);
            wider.addAll(attributes.permissions());
            Files.setPosixFilePermissions(absolute, wider);
        }
        if (!Files.isWritable(absolute)) {
            throw new FileSystemException(absolute.toString(), null, "is not writable");
        }
        return new SocketDirectory(absolute);
    }

    private static String octal(Set<PosixFilePermission> mode) {
        return "7" + (mode.contains(PosixFilePermission.GROUP_EXECUTE) ? "1" : "0")
                + (mode.contains(PosixFilePermission.OTHERS_EXECUTE) ? "1" : "0");
    }

    /** Path of a socket of that broker; an older file of that name, left behind by a broker that died, is removed. */
    public Path socket(String clusterId, int nodeId, String suffix) throws IOException {
        Path socket = directory.resolve(clusterId + "." + nodeId + "." + suffix);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH_BYTES) {
            throw new FileSystemException(
                    socket.toString(),
                    null,
                    "is longer than a socket's path may be (" + MAX_SOCKET_PATH_BYTES
                            + " bytes): shorten the directory");
        }
        Files.deleteIfExists(socket);
        return socket;
    }
}
