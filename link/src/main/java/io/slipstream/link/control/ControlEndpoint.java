// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.protocol.control.DefaultDirectory;
import io.slipstream.rdma.LocalPeers;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control channel of one broker. It provides the one connection, which all event loops share, and opens a new one
 * after the loss of it. It tries the broker's socket in the directory first, then TCP.
 *
 * <pre>
 *   no connection ──first caller──▶ socket? ──absent──▶ TCP? ──Hello answered──▶ connected ──closed──▶ no connection
 *          ▲                           └───────Hello answered──────────────────────▲
 *          └──── after absenceNs ──── neither, refused, deadline, wrong broker
 * </pre>
 *
 * <p>The absence of a socket is found at once; a host that drops packets costs the whole time-out. If the last attempt
 * over TCP failed, the next one runs in the background. Callers then fail at once, and a later caller gets the
 * connection.
 *
 * <p>Thread-safe; the lock is held for assignments only.
 */
public final class ControlEndpoint {
    private static final Logger log = LoggerFactory.getLogger(ControlEndpoint.class);
    private static final int TCP_CONNECT_TIMEOUT_MS = 2_000;

    final String clusterId;
    final int nodeId;
    final LinkSettings settings;
    private final Supplier<ControlAddress> tcp;
    final String proxyId;
    private final NameLookups names;

    private CompletableFuture<ControlConnection> current;
    /** Whether the last attempt over TCP found nothing, and whether a background attempt is running. */
    private boolean absentOnTcp;

    private boolean tryingTcp;
    private long failedAtNs;
    private String lastRefusal;

    /** @param tcp supplies the address of the plugin on TCP as currently known; null if there is none */
    ControlEndpoint(
            String clusterId,
            int nodeId,
            LinkSettings settings,
            Supplier<ControlAddress> tcp,
            String proxyId,
            NameLookups names) {
        this.clusterId = clusterId;
        this.nodeId = nodeId;
        this.settings = settings;
        this.tcp = tcp;
        this.proxyId = proxyId;
        this.names = names;
    }

    /** Nothing of use listens at the plugin's addresses. */
    public static final class Unreachable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreachable(String message) {
            super(message, null, false, false);
        }
    }

    /** The connection; fails with {@link Unreachable}. Completes on any event loop. */
    public CompletableFuture<ControlConnection> connection(EventLoop loop) {
        CompletableFuture<ControlConnection> attempt;
        synchronized (this) {
            if (current != null && !isSpent(current)) {
                return current;
            }
            attempt = new CompletableFuture<>();
            current = attempt;
        }
        ControlAttempt.start(this, loop, socket()).whenComplete((connection, failure) -> {
            if (failure == null) {
                attempt.complete(connection);
            } else {
                tryTcp(loop, attempt, failure);
            }
        });
        return attempt;
    }

    /** The users as which brokers of this host run. */
    LocalPeers peers() {
        return settings.transport().device().localPeers();
    }

    private ControlAddress socket() {
        String name = clusterId + "." + nodeId + ".sock";
        Path directory = settings.directory();
        Path socket = directory.equals(DefaultDirectory.PATH)
                ? DefaultDirectory.socket(directory, name, peers()::allows)
                : directory.resolve(name);
        return ControlAddress.socket(socket.toString());
    }

    private boolean isSpent(CompletableFuture<ControlConnection> attempt) {
        if (attempt.isCompletedExceptionally()) {
            return System.nanoTime() - failedAtNs >= settings.absenceNs();
        }
        return attempt.isDone() && !attempt.join().channel.isActive();
    }

    private void tryTcp(EventLoop loop, CompletableFuture<ControlConnection> attempt, Throwable withoutSocket) {
        ControlAddress address = tcp.get();
        if (address == null) {
            fail(attempt, withoutSocket);
            return;
        }
        boolean inBackground;
        synchronized (this) {
            inBackground = absentOnTcp;
            if (inBackground && tryingTcp) {
                address = null;
            }
            tryingTcp = true;
        }
        if (address != null) {
            connectTcp(loop, address).whenComplete((connection, failure) -> onTcpTried(attempt, connection, failure));
        }
        if (inBackground) {
            fail(attempt, withoutSocket);
        }
    }

    private void onTcpTried(
            CompletableFuture<ControlConnection> attempt, ControlConnection connection, Throwable failure) {
        boolean surplus;
        synchronized (this) {
            tryingTcp = false;
            absentOnTcp = failure != null;
            // A background attempt has failed for its callers long ago; the socket may have been found meanwhile.
            surplus = attempt.isDone() && current != null && !current.isCompletedExceptionally();
            if (failure == null && attempt.isDone() && !surplus) {
                current = CompletableFuture.completedFuture(connection);
            }
        }
        if (failure != null) {
            fail(attempt, failure);
        } else if (surplus) {
            connection.close();
        } else {
            attempt.complete(connection);
        }
    }

    private CompletableFuture<ControlConnection> connectTcp(EventLoop loop, ControlAddress address) {
        CompletableFuture<ControlConnection> attempt = new CompletableFuture<>();
        names.addressesOf((InetSocketAddress) address.address(), loop, patienceMs())
                .addListener((Future<List<InetSocketAddress>> found) -> {
                    if (found.isSuccess()) {
                        connectTcp(loop, found.getNow().iterator(), attempt);
                    } else {
                        log.debug("no plugin at {}: {}", address, found.cause().toString());
                        attempt.completeExceptionally(new Unreachable("no plugin at " + address));
                    }
                });
        return attempt;
    }

    /** Tries one address after the other. */
    private void connectTcp(
            EventLoop loop, Iterator<InetSocketAddress> addresses, CompletableFuture<ControlConnection> attempt) {
        ControlAttempt.start(this, loop, ControlAddress.tcp(addresses.next())).whenComplete((connection, failure) -> {
            if (failure == null) {
                attempt.complete(connection);
            } else if (addresses.hasNext()) {
                connectTcp(loop, addresses, attempt);
            } else {
                attempt.completeExceptionally(failure);
            }
        });
    }

    int patienceMs() {
        return Math.max(
                1, (int) Math.min(TCP_CONNECT_TIMEOUT_MS, TimeUnit.NANOSECONDS.toMillis(settings.controlTimeoutNs())));
    }

    /** Logs each reason once, because the attempt is repeated about every second. */
    void complain(ControlAddress address, String refusal) {
        synchronized (this) {
            if (refusal.equals(lastRefusal)) {
                return;
            }
            lastRefusal = refusal;
        }
        log.warn("plugin at {} is of no use: {}", address, refusal);
    }

    private void fail(CompletableFuture<ControlConnection> attempt, Throwable cause) {
        synchronized (this) {
            failedAtNs = System.nanoTime();
        }
        attempt.completeExceptionally(cause);
    }

    void close() {
        CompletableFuture<ControlConnection> last;
        synchronized (this) {
            last = current;
        }
        if (last != null) {
            last.thenAccept(ControlConnection::close);
        }
    }
}
