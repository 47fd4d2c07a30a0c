// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.protocol.control.DefaultDirectory;
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
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/**
 * {@code slipstream.directory}. Only the broker's user may create files in it, and only users that may open its sockets
 * may enter it. {@link LocalPeers} also asks the kernel for the user of each connection.
 */
public final class SocketDirectory {
    /** Longest path that fits into {@code sockaddr_un} (unix(7)), without the terminating zero byte. */
    static final int MAX_SOCKET_PATH_BYTES = 107;

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path directory;

    private SocketDirectory(Path directory) {
        this.directory = directory;
    }

    /** Returns the directory's mode: users that may write to its sockets may enter. */
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

    /**
     * Returns whether {@code found} grants no more than {@code mode}. Users that may enter may also list the directory.
     */
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
     * Creates the directory if it is missing. Throws IOException, with the path and the remedy, if the directory is
     * unsafe or unusable. Another user cannot make the default directory so: then this user has one beside it.
     */
    public static SocketDirectory open(Path directory, LocalPeers peers) throws IOException {
        Set<PosixFilePermission> mode = mode(peers.socketMode());
        UserPrincipal user = Files.getOwner(Path.of("/proc/self"));
        Path absolute = directory.equals(DefaultDirectory.PATH)
                ? DefaultDirectory.forBroker(directory, user)
                : directory.toAbsolutePath();
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
        if (!attributes.owner().equals(user)) {
            throw new FileSystemException(
                    absolute.toString(),
                    null,
                    "belongs to " + attributes.owner().getName() + ", not to the broker's user " + user.getName());
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

    @Override
    public String toString() {
        return directory.toString();
    }

    private static String octal(Set<PosixFilePermission> mode) {
        return "7" + (mode.contains(PosixFilePermission.GROUP_EXECUTE) ? "1" : "0")
                + (mode.contains(PosixFilePermission.OTHERS_EXECUTE) ? "1" : "0");
    }

    /**
     * Returns the path of a socket of this broker, and removes an older file of that name that a killed broker left
     * behind.
     */
    public Path socket(String clusterId, int nodeId, String suffix) throws IOException {
        Path socket = directory.resolve(clusterId + "." + nodeId + "." + suffix);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH_BYTES) {
            throw new FileSystemException(
                    socket.toString(),
                    null,
                    "is longer than a socket path can be (" + MAX_SOCKET_PATH_BYTES + " bytes): shorten the directory");
        }
        Files.deleteIfExists(socket);
        return socket;
    }
}
