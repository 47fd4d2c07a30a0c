// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import java.util.ArrayList;
import java.util.List;

/** Replaces epoll for simulated descriptors: never blocks, level-triggered. */
public final class VirtualIo implements IoHandler {
    private static final EpollIoEvent READABLE = () -> EpollIoOps.EPOLLIN;

    private final List<Registration> registrations = new ArrayList<>(2);
    private Runnable wake = () -> {};

    VirtualIo() {}

    /** Replaces the epoll handler's factory; see {@link Surroundings}. */
    public static IoHandlerFactory factory() {
        return VirtualTime.world() == null ? EpollIoHandler.newFactory() : executor -> new VirtualIo();
    }

    void attach(Runnable onWork) {
        wake = onWork;
    }

    @Override
    public int run(IoHandlerContext context) {
        int handled = 0;
        for (int i = registrations.size() - 1; i >= 0; i--) {
            Registration registration = i < registrations.size() ? registrations.get(i) : null;
            if (registration != null && registration.isReadable()) {
                handled++;
                registration.handle.handle(registration, READABLE);
            }
        }
        return handled;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        Registration registration = new Registration((EpollIoHandle) handle);
        registrations.add(registration);
        Descriptors.watch(registration.fd, wake);
        return registration;
    }

    @Override
    public void wakeup() {
        wake.run();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return EpollIoHandle.class.isAssignableFrom(handleType);
    }

    private final class Registration implements IoRegistration {
        private final EpollIoHandle handle;
        private final int fd;

        Registration(EpollIoHandle handle) {
            this.handle = handle;
            this.fd = handle.fd().intValue();
        }

        boolean isReadable() {
            return Descriptors.isReadable(fd);
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals")
        public <T> T attachment() {
            return null;
        }

        @Override
        public long submit(IoOps ops) {
            return 0;
        }

        @Override
        public boolean isValid() {
            return registrations.contains(this);
        }

        @Override
        public boolean cancel() {
            Descriptors.forget(fd);
            return registrations.remove(this);
        }
    }
}
