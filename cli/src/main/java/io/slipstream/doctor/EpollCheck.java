// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import io.netty.channel.epoll.Epoll;
import java.util.List;

/** Checks that Netty's native epoll transport loads. The proxy and the {@code shm} provider depend on it. */
final class EpollCheck implements Check {
    private static final String SUBJECT = "native epoll";

    @Override
    public List<Finding> examine() {
        if (Epoll.isAvailable()) {
            return List.of(Finding.ok(SUBJECT, "loads"));
        }
        Throwable cause = Epoll.unavailabilityCause();
        return List.of(Finding.warn(
                SUBJECT,
                "does not load: " + cause + "; the proxy serves over TCP with Java's own selector, without shm",
                "use Linux with glibc on x86-64 or aarch64, and a java.io.tmpdir that is not mounted noexec"));
    }
}
