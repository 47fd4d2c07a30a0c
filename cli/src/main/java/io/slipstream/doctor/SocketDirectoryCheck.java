// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/** Checks the directory of the control sockets of a host. A user who can write to it can impersonate a broker. */
final class SocketDirectoryCheck implements Check {
    private static final String SUBJECT = "socket directory";

    private static final String CLOSED = "---";
    /** Permissions that a plugin accepts for group and for others: none, or permission to reach the sockets inside. */
    private static final Set<String> ENTERABLE = Set.of(CLOSED, "--x", "r-x");

    private final Path directory;
    private final String user;

    SocketDirectoryCheck(Path directory, String user) {
        this.directory = directory;
        this.user = user;
    }

    /** Mode of the sockets for a class of users, given the mode of the directory for the same class. */
    private static String socketMode(String ofDirectory) {
        return ofDirectory.equals(CLOSED) ? CLOSED : "rw-";
    }

    @Override
    public List<Finding> examine() {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return List.of(Finding.ok(SUBJECT, directory + " does not exist yet; the first broker creates it"));
        }
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            String mode = PosixFilePermissions.toString(attributes.permissions());
            String owner = attributes.owner().getName();
            if (!owner.equals(user)) {
                return List.of(Finding.warn(
                        SUBJECT,
                        directory + " belongs to " + owner + "; a broker of " + user + " makes " + directory
                                + "-..., which proxies of that user find",
                        "list the users in slipstream.control.users and rdma.control.users if the proxy is not of "
                                + user));
            }
            if (!attributes.isDirectory()) {
                return List.of(Finding.fail(
                        SUBJECT,
                        directory + " is not a directory",
                        "remove it, or set slipstream.directory to another"));
            }
            String ofGroup = mode.substring(3, 6);
            String ofOthers = mode.substring(6);
            if (!ENTERABLE.contains(ofGroup) || !ENTERABLE.contains(ofOthers)) {
                return List.of(Finding.fail(
                        SUBJECT, directory + " is accessible to others (" + mode + ")", "chmod 700 " + directory));
            }
            String entering = mode.endsWith(CLOSED + CLOSED)
                    ? ""
                    : ", accessible to others: requires slipstream.control.socket.mode=rw-" + socketMode(ofGroup)
                            + socketMode(ofOthers) + ", otherwise the broker refuses it";
            return List.of(Finding.ok(SUBJECT, directory + " " + mode + " " + owner + entering));
        } catch (IOException | UnsupportedOperationException e) {
            return List.of(
                    Finding.warn(SUBJECT, directory + " cannot be checked: " + e.getMessage(), "ls -ld " + directory));
        }
    }
}
