// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Looks brokers' names up for connections of the proxy. The JDK's lookup asks what the host is configured to ask
 * (/etc/hosts, nsswitch, DNS), keeps answers and failures as the JDK is told to, and blocks its caller, for 20 s and
 * more where DNS servers do not answer. Netty's own default calls it on the event loop, and all connections of that
 * loop, their heartbeats, and management with them would stand still. So it is called by a few threads of this class,
 * which live only as long as there is something to look up.
 *
 * <p>Who wants a name that is being looked up already waits for that lookup. A lookup whose last waiter has given up
 * before its turn is dropped, so a name that hangs takes one thread, however often it is asked for.
 * {@value #MAX_THREADS} lookups run at once and {@value #MAX_QUEUED} wait; more are refused. Numeric addresses are no
 * names.
 *
 * <p>Thread-safe; the lock is held for assignments only.
 */
public final class NameLookups implements AutoCloseable {
    static final int MAX_THREADS = 8;
    /** A cluster of many hundred brokers, whose names are all wanted when it is first heard of. */
    static final int MAX_QUEUED = 1024;

    private static final long IDLE_SECONDS = 10;

    /** The blocking lookup. Its addresses are at least one, in the order in which they are to be tried. */
    @FunctionalInterface
    public interface Source {
        InetAddress[] addressesOf(String name) throws UnknownHostException;
    }

    private final Source source;
    private final ThreadPoolExecutor pool;
    private final Map<Integer, Resolvers> byTimeoutMs = new ConcurrentHashMap<>();
    /** Those that wait for a thread or have one. */
    private final Map<String, Lookup> byName = new HashMap<>();

    private boolean closed;

    /** By the JDK. */
    public NameLookups() {
        this(InetAddress::getAllByName);
    }

    public NameLookups(Source source) {
        this(source, MAX_THREADS, MAX_QUEUED);
    }

    NameLookups(Source source, int threads, int queued) {
        this.source = source;
        pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queued), task -> {
                    Thread thread = new Thread(task, "slipstream-names");
                    // The JDK's lookup does not heed interrupts; it must not keep the process.
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
    }

    /**
     * For {@code Bootstrap.resolver}: names are resolved within that time, apart from the time to connect. Else
     * connecting fails with an {@link UnknownHostException} that has the name. Completes on the channel's event loop.
     */
    public AddressResolverGroup<InetSocketAddress> within(int timeoutMs) {
        return byTimeoutMs.computeIfAbsent(timeoutMs, Resolvers::new);
    }

    private final class Resolvers extends AddressResolverGroup<InetSocketAddress> {
        private final int timeoutMs;

        Resolvers(int timeoutMs) {
            this.timeoutMs = timeoutMs;
        }

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new LookupResolver(executor, NameLookups.this, timeoutMs).asAddressResolver();
        }
    }

    /** One name's lookup, shared by all who wait for it. */
    final class Lookup implements Runnable {
        final String name;
        /** Completed by a thread of the pool, or by who closes. */
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

        /** One who waited does so no more. */
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

    /** Waits for that name, until the answer or {@link Lookup#leave}. */
    Lookup join(String name) throws UnknownHostException {
        synchronized (this) {
            if (closed) {
                throw failure(name, "is not looked up: the proxy stops");
            }
            Lookup lookup = byName.get(name);
            if (lookup == null) {
                lookup = new Lookup(name);
                try {
                    pool.execute(lookup);
                } catch (RejectedExecutionException e) {
                    throw failure(
                            name,
                            "is not looked up: " + pool.getMaximumPoolSize() + " lookups hang and "
                                    + pool.getQueue().size() + " wait; do the DNS servers answer?");
                }
                byName.put(name, lookup);
            }
            lookup.waiting++;
            return lookup;
        }
    }

    /** Who waits is refused; threads end, those inside a lookup when it returns. Returns at once. */
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
                lookup.answer.completeExceptionally(failure(lookup.name, "is not looked up: the proxy stops")));
        byTimeoutMs.values().forEach(Resolvers::close);
    }
}
