// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;

/**
 * Registers a descriptor with an event loop, level-triggered. The descriptor is that of a completion queue, so that a
 * completion needs no thread hop. {@code onReadable} runs on the event loop. The descriptor belongs to its owner, which
 * must call {@link #stop} before closing it.
 */
public final class CompletionEvents implements EpollIoHandle {
    private final FileDescriptor descriptor;
    private final Runnable onReadable;
    private IoRegistration registration;
    private boolean stopped;

    CompletionEvents(FileDescriptor descriptor, Runnable onReadable) {
        this.descriptor = descriptor;
        this.onReadable = onReadable;
    }

    /** Whether that event loop can wait for descriptors; NIO event loops cannot. */
    public static boolean isSupportedBy(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(EpollIoHandle.class);
    }

    /** Starts to listen. Call it on the event loop, so that the registration is complete when it returns. */
    void start(EventLoop loop) {
        Future<IoRegistration> registered = ((IoEventLoop) loop).register(this);
        registered.addListener(done -> {
            if (done.isSuccess()) {
                listen(registered.getNow());
            }
        });
    }

    private void listen(IoRegistration now) {
        registration = now;
        if (stopped) {
            now.cancel();
        } else {
            now.submit(EpollIoOps.EPOLLIN);
        }
    }

    void stop() {
        stopped = true;
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(IoRegistration source, IoEvent event) {
        if (!stopped) {
            onReadable.run();
        }
    }

    /** Called when the event loop shuts down. The descriptor stays open because its owner closes it. */
    @Override
    public void close() {
        stop();
    }
}
