// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The default directory of control sockets. Any user of the host may make {@link #PATH} first. A broker of another user
 * then makes a <em>stand-in</em> beside it, named {@code /tmp/slipstream-RANDOM}, and proxies look for the stand-ins of
 * the users whose brokers they use. So nobody can keep a broker from its directory.
 */
public final class DefaultDirectory {
    public static final Path PATH = Path.of("/tmp/slipstream");

    /** Bounds a search in a directory that other users have filled. */
    private static final int MOST_ENTRIES = 10_000;

    private DefaultDirectory() {}

    /** Returns the directory if it is free or this user's, else the user's stand-in, which is made if it is missing. */
    public static Path forBroker(Path directory, UserPrincipal user) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS) || belongsTo(user::equals, directory)) {
            return directory;
        }
        List<Path> own = standIns(directory, user::equals);
        return own.isEmpty()
                ? Files.createTempDirectory(directory.getParent(), directory.getFileName() + "-")
                : own.get(0);
    }

    /** Returns the broker's socket of that name in the directory, or in a stand-in that belongs to an accepted user. */
    public static Path socket(Path directory, String name, Predicate<UserPrincipal> accepted) {
        Path usual = directory.resolve(name);
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)
                || (belongsTo(accepted, directory) && Files.exists(usual))) {
            return usual;
        }
        return standIns(directory, accepted).stream()
                .map(standIn -> standIn.resolve(name))
                .filter(Files::exists)
                .findFirst()
                .orElse(usual);
    }

    private static List<Path> standIns(Path directory, Predicate<UserPrincipal> accepted) {
        String prefix = directory.getFileName() + "-";
        try (Stream<Path> entries = Files.list(directory.getParent())) {
            return entries.limit(MOST_ENTRIES)
                    .filter(entry -> entry.getFileName().toString().startsWith(prefix)
                            && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
                            && belongsTo(accepted, entry))
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            // Without the list there are no stand-ins.
            return List.of();
        }
    }

    private static boolean belongsTo(Predicate<UserPrincipal> accepted, Path path) {
        try {
            return accepted.test(Files.getOwner(path, LinkOption.NOFOLLOW_LINKS));
        } catch (IOException gone) {
            return false;
        }
    }
}
