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
 * Lets a descriptor wake an event loop, level-triggered: a completion queue's, so that a completion needs no thread
 * hop, or one that stays readable, so that the event loop does not sleep. {@code onReadable} runs on the event loop.
 * The descriptor stays its owner's: {@link #stop} before closing it.
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

    /** Starts to listen; on the event loop itself, so that the registration is complete when this returns. */
    void start(EventLoop loop) {
        Future<IoRegistration> registered = ((IoEventLoop) loop).register(this);
        if (registered.isSuccess()) {
            listen(registered.getNow());
        } else {
            registered.addListener(done -> {
                if (done.isSuccess()) {
                    listen(registered.getNow());
                }
            });
        }
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

    /** Called when the event loop shuts down; the descriptor is not ours to close. */
    @Override
    public void close() {
        stop();
    }
}
