// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** One event loop's access to {@link NameLookups}: applies the deadline and completes on the event loop. */
final class LookupResolver extends InetNameResolver {
    private final EventExecutor eventLoop;
    private final NameLookups lookups;
    private final int timeoutMs;

    LookupResolver(EventExecutor eventLoop, NameLookups lookups, int timeoutMs) {
        super(eventLoop);
        this.eventLoop = eventLoop;
        this.lookups = lookups;
        this.timeoutMs = timeoutMs;
    }

    @Override
    protected void doResolve(String name, Promise<InetAddress> promise) throws UnknownHostException {
        resolve(name, promise, addresses -> addresses[0]);
    }

    @Override
    protected void doResolveAll(String name, Promise<List<InetAddress>> promise) throws UnknownHostException {
        resolve(name, promise, List::of);
    }

    private <T> void resolve(String name, Promise<T> promise, Function<InetAddress[], T> choice)
            throws UnknownHostException {
        if (NetUtil.isValidIpV4Address(name) || NetUtil.isValidIpV6Address(name)) {
            promise.setSuccess(choice.apply(InetAddress.getAllByName(name)));
            return;
        }
        NameLookups.Lookup lookup = lookups.join(name);
        ScheduledFuture<?> deadline =
                eventLoop.schedule(() -> expire(lookup, promise), timeoutMs, TimeUnit.MILLISECONDS);
        promise.addListener(done -> deadline.cancel(false));
        lookup.answer.whenComplete((addresses, failure) -> {
            if (failure == null) {
                promise.trySuccess(choice.apply(addresses));
            } else {
                promise.tryFailure(failure);
            }
        });
    }

    private void expire(NameLookups.Lookup lookup, Promise<?> promise) {
        if (promise.tryFailure(NameLookups.failure(
                lookup.name, "was not resolved within " + timeoutMs + " ms; do the DNS servers answer?"))) {
            lookup.leave();
        }
    }
}
