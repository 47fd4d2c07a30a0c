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
import java.util.Set;

/**
 * {@code slipstream.directory}. Only the broker's user may create files in it, and only users that may open its sockets
 * may enter it. {@link LocalPeers} also asks the kernel for the user of each connection.
 */
public final class SocketDirectory {
    /** Longest path that fits into {@code sockaddr_un} (unix(7)), without the terminating zero byte. */
    static final int MAX_SOCKET_PATH_BYTES = 107;

    private final Path directory;

    private SocketDirectory(Path directory) {
        this.directory = directory;
    }

    /** Returns the directory's mode, such as {@code rwx--x---}: users that may write to its sockets may enter. */
    private static String mode(Set<PosixFilePermission> socketMode) {
        return "rwx"
                + (socketMode.contains(PosixFilePermission.GROUP_WRITE) ? "--x" : "---")
                + (socketMode.contains(PosixFilePermission.OTHERS_WRITE) ? "--x" : "---");
    }

    /**
     * Creates the directory if it is missing. Throws IOException, with the path and the remedy, if the directory is
     * unsafe or unusable. Another user cannot make the default directory so: then this user has one beside it.
     */
    public static SocketDirectory open(Path directory, LocalPeers peers) throws IOException {
        String mode = mode(peers.socketMode);
        UserPrincipal user = Files.getOwner(Path.of("/proc/self"));
        Path absolute = directory.equals(DefaultDirectory.PATH)
                ? DefaultDirectory.forBroker(directory, user)
                : directory.toAbsolutePath();
        if (!Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = absolute.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createDirectory(
                    absolute, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        PosixFileAttributes attributes =
                Files.readAttributes(absolute, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        Set<PosixFilePermission> found = attributes.permissions();
        // Users that may enter may also list the directory.
        Set<PosixFilePermission> allowed = PosixFilePermissions.fromString(mode.replace("--x", "r-x"));
        if (!attributes.isDirectory()) {
            throw unusable(absolute, "is not a directory");
        } else if (!attributes.owner().equals(user)) {
            throw unusable(
                    absolute,
                    "belongs to " + attributes.owner().getName() + ", not to the broker's user " + user.getName());
        } else if (!allowed.containsAll(found)) {
            String octal = mode.replace("rwx", "7").replace("--x", "1").replace("---", "0");
            throw unusable(
                    absolute,
                    "is open to others (" + PosixFilePermissions.toString(found) + "): chmod " + octal + " it");
        }
        peers.setGroup(absolute);
        Set<PosixFilePermission> wider = PosixFilePermissions.fromString(mode);
        if (!found.containsAll(wider)) {
            wider.addAll(found);
            Files.setPosixFilePermissions(absolute, wider);
        }
        if (!Files.isWritable(absolute)) {
            throw unusable(absolute, "is not writable");
        }
        return new SocketDirectory(absolute);
    }

    private static IOException unusable(Path path, String reason) {
        return new FileSystemException(path.toString(), null, reason);
    }

    @Override
    public String toString() {
        return directory.toString();
    }

    /**
     * Returns the path of a socket of this broker, and removes an older file of that name that a killed broker left
     * behind.
     */
    public Path socket(String clusterId, int nodeId, String suffix) throws IOException {
        Path socket = directory.resolve(clusterId + "." + nodeId + "." + suffix);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH_BYTES) {
            throw unusable(
                    socket,
                    "is longer than a socket path can be (" + MAX_SOCKET_PATH_BYTES + " bytes): shorten the directory");
        }
        Files.deleteIfExists(socket);
        return socket;
    }
}
