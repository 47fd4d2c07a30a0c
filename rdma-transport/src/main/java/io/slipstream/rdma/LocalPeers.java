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
 * Which users' processes may be at the other end of a Unix socket, as the kernel names them (SO_PEERCRED), and how the file of a listening one is
 * made reachable for them. Always among them are this process's own user and root, who can do everything that a peer can anyway. Any thread.
 */
public final class LocalPeers {
    /** Own user and root, by sockets that nobody else can open. */
    public static final LocalPeers OWN = of(Set.of(), "rw-------", "");

    private static final int MOST_KNOWN = 1024;
    private static final String ROOT = "0";

    private final Set<UserPrincipal> users;
    private final boolean beyondOwn;
    private final Set<PosixFilePermission> socketMode;
    private final GroupPrincipal socketGroup;
    /** Answers by uid: asking the system for a user may take long. */
    private final Map<Integer, Boolean> known = new ConcurrentHashMap<>();

    private LocalPeers(
            Set<UserPrincipal> users,
            boolean beyondOwn,
            Set<PosixFilePermission> socketMode,
            GroupPrincipal socketGroup) {
        this.users = users;
        this.beyondOwn = beyondOwn;
        this.socketMode = socketMode;
        this.socketGroup = socketGroup;
    }

    /**
     * @param users names or numbers, beside the own user and root
     * @param socketMode of listening sockets, such as {@code rw-rw----}
     * @param socketGroup name or number; empty: the process's own
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
            throw new IllegalArgumentException("the users of this host cannot be looked up: " + e, e);
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
                            + "' is neither known on this host nor a number (of another container's: give the number)",
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

    private static UserPrincipal principal(int uid) {
        try {
            return FileSystems.getDefault()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByName(Integer.toString(uid));
        } catch (IOException e) {
            // The system cannot say: equal to none of the allowed ones.
            return () -> Integer.toString(uid);
        }
    }

    /** Whether users other than the own one and root are among them, which cannot open what is this user's. */
    public boolean isBeyondOwn() {
        return beyondOwn;
    }

    public Set<PosixFilePermission> socketMode() {
        return socketMode;
    }

    /** Gives the file of a listening socket its group and mode. */
    public void open(Path socket) throws IOException {
        setGroup(socket);
        Files.setPosixFilePermissions(socket, socketMode);
    }

    /** Gives a file or directory the group, if one is wanted. */
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
