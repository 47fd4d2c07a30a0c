package io.slipstream.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The directory in which brokers' plugins and proxies of a host meet; who may write there could pose as a broker. */
final class SocketDirectoryCheck implements Check {
    static final Path DEFAULT = Path.of("/tmp/slipstream");
    private static final String SUBJECT = "socket directory";

    private final Path directory;
    private final String user;

    SocketDirectoryCheck(Path directory, String user) {
        this.directory = directory;
        this.user = user;
    }

    @Override
    public List<Finding> examine() {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return List.of(Finding.ok(SUBJECT, directory + " will be made by the first broker"));
        }
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            String mode = PosixFilePermissions.toString(attributes.permissions());
            String owner = attributes.owner().getName();
            if (!attributes.isDirectory()) {
                return List.of(Finding.fail(
                        SUBJECT, directory + " is no directory", "remove it, or set slipstream.directory to another"));
            }
            if (!owner.equals(user)) {
                return List.of(Finding.warn(
                        SUBJECT,
                        directory + " belongs to " + owner + ", this is " + user,
                        "run broker and proxy as " + owner + ", or set slipstream.directory for both"));
            }
            if (!mode.endsWith("---")) {
                return List.of(Finding.fail(
                        SUBJECT, directory + " is open to others (" + mode + ")", "chmod 700 " + directory));
            }
            return List.of(Finding.ok(SUBJECT, directory + " " + mode + " " + owner));
        } catch (IOException | UnsupportedOperationException e) {
            return List.of(
                    Finding.warn(SUBJECT, directory + " cannot be examined: " + e.getMessage(), "ls -ld " + directory));
        }
    }
}
