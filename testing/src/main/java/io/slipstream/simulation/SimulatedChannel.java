// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import java.net.ConnectException;
import java.net.SocketAddress;

/**
 * A stream socket between two virtual event loops. Written bytes arrive later, in order. The end of a process closes
 * it.
 */
public final class SimulatedChannel extends AbstractChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    private static final SocketAddress ADDRESS = new SocketAddress() {
        private static final long serialVersionUID = 1L;
    };

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private SimulatedChannel peer;
    private VirtualLoop loop;
    private boolean open = true;
    private boolean active;
    /** Arrival time of the last bytes sent to this end. */
    private long lastArrivalNs;

    /** Accepts control connections; without a listener, connections are refused. */
    interface Listener {
        /** Accepts a connection with an empty pipeline. Returns null if the broker is down. */
        VirtualLoop accept(Channel connection);
    }

    public SimulatedChannel() {
        super(null, DefaultChannelId.newInstance());
    }

    /** Replaces the socket's class; see {@link Surroundings}. */
    public static Class<? extends Channel> type(Object controlAddress) {
        if (VirtualTime.world() != null) {
            return SimulatedChannel.class;
        }
        try {
            var accessor = controlAddress.getClass().getDeclaredMethod("channel");
            accessor.setAccessible(true);
            return ((Class<?>) accessor.invoke(controlAddress)).asSubclass(Channel.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("ControlAddress is not as the simulation knows it", e);
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
                World world = loop.world();
                world.after(Delays.socket(world), null, () -> meet(world, promise));
            }
        };
    }

    private void meet(World world, ChannelPromise promise) {
        SimulatedChannel other = new SimulatedChannel();
        Listener listener = Simulation.controlListener();
        VirtualLoop there = listener == null ? null : listener.accept(other);
        if (there == null) {
            world.after(
                    Delays.socket(world),
                    loop.host(),
                    () -> loop.execute(() -> promise.tryFailure(new ConnectException("nobody listens"))));
            return;
        }
        other.peer = this;
        peer = other;
        other.active = true;
        other.unsafe().register(there, new DefaultChannelPromise(other, there));
        world.after(
                Delays.socket(world),
                loop.host(),
                () -> loop.execute(() -> {
                    if (!open) {
                        promise.tryFailure(new ConnectException("closed"));
                        return;
                    }
                    active = true;
                    promise.trySuccess();
                    pipeline().fireChannelActive();
                }));
    }

    private void arriveAtPeer(Runnable arrival) {
        SimulatedChannel to = peer;
        if (to == null || to.loop == null) {
            return;
        }
        World world = loop.world();
        long atNs = Math.max(to.lastArrivalNs + 1, world.nowNs() + Delays.socket(world));
        to.lastArrivalNs = atNs;
        world.after(atNs - world.nowNs(), to.loop.host(), () -> to.loop.execute(arrival));
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        for (Object message = in.current(); message != null; message = in.current()) {
            byte[] bytes = new byte[((ByteBuf) message).readableBytes()];
            ((ByteBuf) message).readBytes(bytes);
            in.remove();
            SimulatedChannel to = peer;
            arriveAtPeer(() -> {
                if (to.open) {
                    to.pipeline().fireChannelRead(Unpooled.wrappedBuffer(bytes));
                    to.pipeline().fireChannelReadComplete();
                }
            });
        }
    }

    @Override
    protected void doClose() {
        open = false;
        active = false;
        SimulatedChannel to = peer;
        if (to != null) {
            arriveAtPeer(() -> to.unsafe().close(to.voidPromise()));
        }
    }

    /** The connection or one end's process has ended; the other end learns of it later. */
    void cut() {
        World world = loop.world();
        SimulatedChannel to = peer;
        open = false;
        active = false;
        if (to != null && to.loop != null) {
            world.after(
                    Delays.socket(world),
                    to.loop.host(),
                    () -> to.loop.execute(() -> to.unsafe().close(to.voidPromise())));
        }
    }

    @Override
    protected boolean isCompatible(EventLoop eventLoop) {
        return eventLoop instanceof VirtualLoop;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        loop = (VirtualLoop) eventLoop();
        loop.opened(this);
        promise.setSuccess();
    }

    @Override
    protected SocketAddress localAddress0() {
        return ADDRESS;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return ADDRESS;
    }

    @Override
    protected void doBind(SocketAddress localAddress) {}

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doBeginRead() {}

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }
}
