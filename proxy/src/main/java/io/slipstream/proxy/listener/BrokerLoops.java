// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.listener;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The event loops that serve the clients of each broker. A broker has a home loop, so that its clients share one link
 * and their reads. A client that connects while that loop is saturated goes to the next loop that is not. Brokers get
 * their home loops in turn. Thread-safe.
 */
public final class BrokerLoops {
    private final EventLoopGroup all;
    private final List<EventLoop> loops = new ArrayList<>();
    private final Predicate<EventLoop> saturated;
    /** Indexes of loops, by broker. */
    private final Map<Integer, Integer> homes = new ConcurrentHashMap<>();

    private final AtomicInteger nextHome = new AtomicInteger();

    public BrokerLoops(EventLoopGroup all, Predicate<EventLoop> saturated) {
        this.all = all;
        all.forEach(loop -> loops.add((EventLoop) loop));
        this.saturated = saturated;
    }

    EventLoop homeOf(int nodeId) {
        return loops.get(indexOf(nodeId));
    }

    /** The loop of a client that connects now. */
    EventLoop ofNewClient(int nodeId) {
        int home = indexOf(nodeId);
        return IntStream.range(home, home + loops.size())
                .mapToObj(i -> loops.get(i % loops.size()))
                .filter(saturated.negate())
                .findFirst()
                .orElse(loops.get(home));
    }

    /** The group that Netty asks for the loop of each client of one broker; all else is that of the whole group. */
    EventLoopGroup ofClients(int nodeId) {
        return (EventLoopGroup) Proxy.newProxyInstance(
                BrokerLoops.class.getClassLoader(),
                new Class<?>[] {EventLoopGroup.class},
                (proxy, method, arguments) ->
                        method.invoke(method.getName().equals("register") ? ofNewClient(nodeId) : all, arguments));
    }

    private int indexOf(int nodeId) {
        return homes.computeIfAbsent(nodeId, any -> nextHome.getAndIncrement() % loops.size());
    }
}
