// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The users whose processes may be at the other end of a Unix socket, as the kernel reports them (SO_PEERCRED,
 * unix(7)). It also holds the mode and group of listening sockets. This process's own user and root are always allowed,
 * because they can do everything that a peer can. Any thread.
 */
public final class LocalPeers {
    /** The same user and root, on sockets that no other user can open. */
    public static final LocalPeers OWN = of(Set.of(), "rw-------", "");

    private static final int MOST_KNOWN = 1024;
    private static final String ROOT = "0";

    private final Set<UserPrincipal> users;
    /** Whether other users than this one and root are allowed. Such users cannot open files of this user. */
    public final boolean isBeyondOwn;

    public final Set<PosixFilePermission> socketMode;
    private final GroupPrincipal socketGroup;
    /** Answers by uid, because looking up a user may be slow. */
    private final Map<Integer, Boolean> known = new ConcurrentHashMap<>();

    private LocalPeers(
            Set<UserPrincipal> users,
            boolean beyondOwn,
            Set<PosixFilePermission> socketMode,
            GroupPrincipal socketGroup) {
        this.users = users;
        this.isBeyondOwn = beyondOwn;
        this.socketMode = socketMode;
        this.socketGroup = socketGroup;
    }

    /**
     * @param users names or numbers, in addition to this process's user and root
     * @param socketMode mode of listening sockets, such as {@code rw-rw----}
     * @param socketGroup name or number of their group; empty: the process's own group
     * @throws IllegalArgumentException naming the user or group that this host does not know
     */
    public static LocalPeers of(Collection<String> users, String socketMode, String socketGroup) {
        UserPrincipalLookupService lookup = FileSystems.getDefault().getUserPrincipalLookupService();
        try {
            Set<UserPrincipal> allowed = new HashSet<>();
            allowed.add(Files.getOwner(Path.of("/proc/self")));
            allowed.add(lookup.lookupPrincipalByName(ROOT));
            Set<UserPrincipal> own = Set.copyOf(allowed);
            for (String user : users) {
                allowed.add(find(user, lookup::lookupPrincipalByName));
            }
            return new LocalPeers(
                    allowed,
                    !own.containsAll(allowed),
                    PosixFilePermissions.fromString(socketMode),
                    socketGroup.isEmpty() ? null : find(socketGroup, lookup::lookupPrincipalByGroupName));
        } catch (IOException e) {
            throw new IllegalArgumentException("looking up users of this host failed: " + e, e);
        }
    }

    private interface Lookup<P> {
        P byName(String name) throws IOException;
    }

    private static <P> P find(String name, Lookup<P> lookup) {
        try {
            return lookup.byName(name.strip());
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "'" + name.strip()
                            + "' is neither known on this host nor a number (name users of other containers by number)",
                    e);
        }
    }

    /** Whether a process of that user may be the peer. */
    public boolean allows(int uid) {
        Boolean answer = known.get(uid);
        if (answer == null) {
            answer = users.contains(principal(uid));
            if (known.size() >= MOST_KNOWN) {
                known.clear();
            }
            known.put(uid, answer);
        }
        return answer;
    }

    public boolean allows(UserPrincipal user) {
        return users.contains(user);
    }

    private static UserPrincipal principal(int uid) {
        try {
            return FileSystems.getDefault()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByName(Integer.toString(uid));
        } catch (IOException e) {
            // The lookup failed: this principal equals none of the allowed ones.
            return () -> Integer.toString(uid);
        }
    }

    /** Sets the group and mode of a listening socket's file. */
    public void open(Path socket) throws IOException {
        setGroup(socket);
        Files.setPosixFilePermissions(socket, socketMode);
    }

    /** Sets the group of a file or directory, if a group is configured. */
    public void setGroup(Path file) throws IOException {
        if (socketGroup != null) {
            Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setGroup(socketGroup);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LocalPeers that
                && users.equals(that.users)
                && socketMode.equals(that.socketMode)
                && java.util.Objects.equals(socketGroup, that.socketGroup);
    }

    @Override
    public int hashCode() {
        return users.hashCode();
    }

    @Override
    public String toString() {
        return "users " + users.stream().map(UserPrincipal::getName).sorted().toList();
    }
}
