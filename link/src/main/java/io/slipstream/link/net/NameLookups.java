// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Resolves broker names for connections of the proxy. The JDK's lookup uses the host's configuration (/etc/hosts,
 * nsswitch, DNS) and the JDK's caches. It blocks its caller, for 20 s and more if DNS servers do not answer. Netty's
 * default resolver calls it on the event loop, which would block all connections of that loop, their heartbeats, and
 * management. Therefore a few threads of this class call it; they exist only while there are lookups.
 *
 * <p>Concurrent requests for a name share one lookup. A lookup whose last waiter has given up before its turn is
 * dropped, so a name that hangs takes one thread, no matter how often it is requested. {@value #MAX_THREADS} lookups
 * run at once and {@value #MAX_QUEUED} wait; further ones are refused. Numeric addresses need no lookup.
 *
 * <p>Thread-safe; the lock is held for assignments only.
 */
public final class NameLookups implements AutoCloseable {
    static final int MAX_THREADS = 8;
    /** Enough for a cluster of several hundred brokers whose names are all resolved at start. */
    static final int MAX_QUEUED = 1024;

    private static final long IDLE_SECONDS = 10;

    /** The blocking lookup. It returns at least one address, in the order in which connections try them. */
    @FunctionalInterface
    public interface Source {
        InetAddress[] addressesOf(String name) throws UnknownHostException;
    }

    private final Source source;
    private final ThreadPoolExecutor pool;
    /** Lookups that wait for a thread or have one. */
    private final Map<String, Lookup> byName = new HashMap<>();

    private boolean closed;

    /** Uses the JDK's lookup. */
    public NameLookups() {
        this(InetAddress::getAllByName);
    }

    public NameLookups(Source source) {
        this(source, MAX_THREADS, MAX_QUEUED);
    }

    NameLookups(Source source, int threads, int queued) {
        this.source = source;
        // Daemon threads: the JDK's lookup ignores interrupts, and must not keep the process alive.
        pool = new ThreadPoolExecutor(
                threads,
                threads,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(queued),
                new DefaultThreadFactory("slipstream-names", true));
        pool.allowCoreThreadTimeOut(true);
    }

    /**
     * All addresses of a host and port, in the order in which connections try them. Fails after that time, which does
     * not include the time to connect, with an {@link UnknownHostException} that has the name. Completes on the event
     * loop.
     */
    public Future<List<InetSocketAddress>> addressesOf(InetSocketAddress host, EventExecutor eventLoop, int timeoutMs) {
        String name = host.getHostString();
        if (NetUtil.isValidIpV4Address(name) || NetUtil.isValidIpV6Address(name)) {
            return eventLoop.newSucceededFuture(List.of(new InetSocketAddress(name, host.getPort())));
        }
        Promise<List<InetSocketAddress>> promise = eventLoop.newPromise();
        Lookup lookup;
        try {
            lookup = join(name);
        } catch (UnknownHostException e) {
            return promise.setFailure(e);
        }
        var deadline = eventLoop.schedule(() -> expire(lookup, promise, timeoutMs), timeoutMs, TimeUnit.MILLISECONDS);
        promise.addListener(done -> deadline.cancel(false));
        lookup.answer.whenComplete((addresses, failure) -> {
            if (failure == null) {
                promise.trySuccess(Arrays.stream(addresses)
                        .map(address -> new InetSocketAddress(address, host.getPort()))
                        .toList());
            } else {
                promise.tryFailure(failure);
            }
        });
        return promise;
    }

    private static void expire(Lookup lookup, Promise<?> promise, int timeoutMs) {
        String what = "was not resolved within " + timeoutMs + " ms; do the DNS servers answer?";
        if (promise.tryFailure(failure(lookup.name, what))) {
            lookup.leave();
        }
    }

    /** The lookup of one name, shared by all waiters. */
    final class Lookup implements Runnable {
        final String name;
        /** Completed by a thread of the pool, or by {@link #close}. */
        final CompletableFuture<InetAddress[]> answer = new CompletableFuture<>();

        private int waiting;

        private Lookup(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            InetAddress[] addresses = null;
            UnknownHostException failure = null;
            try {
                addresses = source.addressesOf(name);
            } catch (UnknownHostException | RuntimeException e) {
                failure = failure(name, "cannot be resolved (" + e.getMessage() + ")");
                failure.initCause(e);
            }
            synchronized (NameLookups.this) {
                byName.remove(name, this);
            }
            if (failure == null) {
                answer.complete(addresses);
            } else {
                answer.completeExceptionally(failure);
            }
        }

        /** Removes one waiter. */
        void leave() {
            synchronized (NameLookups.this) {
                if (--waiting == 0 && pool.remove(this)) {
                    byName.remove(name, this);
                }
            }
        }
    }

    static UnknownHostException failure(String name, String what) {
        return new UnknownHostException("the name " + name + " " + what);
    }

    /** Adds a waiter for that name, until the answer or {@link Lookup#leave}. */
    Lookup join(String name) throws UnknownHostException {
        synchronized (this) {
            if (closed) {
                throw failure(name, "was not resolved: the proxy is stopping");
            }
            Lookup lookup = byName.get(name);
            if (lookup == null) {
                lookup = new Lookup(name);
                try {
                    pool.execute(lookup);
                } catch (RejectedExecutionException e) {
                    throw failure(
                            name,
                            "was not resolved: " + pool.getMaximumPoolSize() + " lookups hang and "
                                    + pool.getQueue().size() + " wait; do the DNS servers answer?");
                }
                byName.put(name, lookup);
            }
            lookup.waiting++;
            return lookup;
        }
    }

    /** Fails all waiters. Threads end; those inside a lookup end when it returns. Returns at once. */
    @Override
    public void close() {
        List<Lookup> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(byName.values());
            byName.clear();
        }
        pool.shutdownNow();
        left.forEach(lookup ->
                lookup.answer.completeExceptionally(failure(lookup.name, "was not resolved: the proxy is stopping")));
    }
}
