// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.CompletionQueue;
import java.util.concurrent.TimeUnit;

/**
 * Waits for a completion queue's event descriptor like the proxy: a handle in a Netty epoll loop, which the calling
 * thread runs.
 */
public final class Sleeper implements AutoCloseable, EpollIoHandle {
    private final CompletionQueue completions;
    private final ManualIoEventLoop loop = new ManualIoEventLoop(
            Thread.currentThread(), executor -> EpollIoHandler.newFactory().newHandler(executor));
    private final IoRegistration registration;
    private boolean woken;

    public Sleeper(CompletionQueue completions) throws Exception {
        this.completions = completions;
        registration = loop.register(this).getNow();
        registration.submit(EpollIoOps.EPOLLIN);
    }

    @Override
    public FileDescriptor fd() {
        return new FileDescriptor(completions.eventFd());
    }

    @Override
    public void handle(IoRegistration registered, IoEvent event) {
        woken = true;
    }

    /** Returns false if nothing happened in that time. */
    public boolean sleep(int timeoutMs) {
        woken = false;
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!woken && leftNs > 0) {
            loop.run(leftNs);
            leftNs = deadlineNs - System.nanoTime();
        }
        return woken;
    }

    @Override
    public void close() {
        registration.cancel();
        loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        while (!loop.isTerminated()) {
            loop.run(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }
}
