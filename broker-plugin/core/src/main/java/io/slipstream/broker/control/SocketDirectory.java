package io.slipstream.broker.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** {@code slipstream.directory}: only the broker's user may look into it, since who can connect to a socket in it is trusted. */
public final class SocketDirectory {
    /** Longest path that fits {@code sockaddr_un}. */
    static final int MAX_SOCKET_PATH_BYTES = 107;

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path directory;

    private SocketDirectory(Path directory) {
        this.directory = directory;
    }

    /** Makes the directory if it is missing. Throws IOException, naming path and remedy, if it is not safe or not usable. */
    public static SocketDirectory open(Path directory) throws IOException {
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
        if (!OWNER_ONLY.containsAll(attributes.permissions())) {
            throw new FileSystemException(
                    absolute.toString(),
                    null,
                    "is open to others (" + PosixFilePermissions.toString(attributes.permissions())
                            + "): chmod 700 it");
        }
        if (!Files.isWritable(absolute)) {
            throw new FileSystemException(absolute.toString(), null, "is not writable");
        }
        return new SocketDirectory(absolute);
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
