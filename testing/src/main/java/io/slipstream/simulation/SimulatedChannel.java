// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.slipstream.link.net.NameLookups;
import io.slipstream.simulation.client.Sessions;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;

/**
 * A stream socket between two virtual event loops. Written bytes arrive later, in order. The end of a process closes
 * it.
 */
public final class SimulatedChannel extends AbstractChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    private static final SocketAddress HERE = new Address();
    private static final SocketAddress THERE = new Address();

    private static final class Address extends SocketAddress {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            return "simulated";
        }
    }

    private final ChannelConfig config = new SocketOptions(this);
    private SimulatedChannel peer;
    /** The peer of a Kafka connection. */
    private PlainSocket plain;

    private VirtualLoop loop;
    private boolean open = true;
    private boolean active;
    /** Arrival time of the last bytes sent to this end. */
    private long lastArrivalNs;

    /** Options of real sockets are accepted and have no effect. */
    private static final class SocketOptions extends DefaultChannelConfig {
        SocketOptions(Channel channel) {
            super(channel);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            return option == ChannelOption.TCP_NODELAY
                    || option == ChannelOption.SO_KEEPALIVE
                    || super.setOption(option, value);
        }
    }

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

    /** Replaces the lookup of brokers' names; see {@link Surroundings}. */
    public static Future<List<InetSocketAddress>> addressesOf(
            Object lookups, InetSocketAddress host, EventExecutor loop, int timeoutMs) {
        return VirtualTime.world() == null
                ? ((NameLookups) lookups).addressesOf(host, loop, timeoutMs)
                : loop.newSucceededFuture(
                        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), host.getPort())));
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
                World world = loop.world();
                if (remote instanceof InetSocketAddress kafka) {
                    int node = Sessions.nodeOf(kafka.getPort());
                    world.after(Delays.local(world), null, () -> meetKafka(world, node, promise));
                } else {
                    int node = nodeOf(remote.toString());
                    world.after(Delays.socket(world), null, () -> meet(world, node, promise));
                }
            }
        };
    }

    /** Returns the broker with that control socket: its name ends with the node id and ".sock". */
    private static int nodeOf(String socket) {
        String[] parts = socket.split("\\.");
        return Integer.parseInt(parts[parts.length - 2]);
    }

    /** Connects to the Kafka listener of the broker. */
    private void meetKafka(World world, int node, ChannelPromise promise) {
        plain = open ? Simulation.kafkaListener(node) : null;
        if (plain != null) {
            plain.meet(this);
        }
        connected(world, Delays.local(world), plain != null, promise);
    }

    /** Serves a Kafka client's connection on the loop. */
    public static SimulatedChannel accept(PlainSocket client, VirtualLoop loop, ByteBufAllocator allocator) {
        SimulatedChannel channel = new SimulatedChannel();
        channel.config.setAllocator(allocator);
        channel.plain = client;
        channel.active = true;
        channel.unsafe().register(loop, new DefaultChannelPromise(channel, loop));
        client.meet(channel);
        return channel;
    }

    private void meet(World world, int node, ChannelPromise promise) {
        SimulatedChannel other = new SimulatedChannel();
        Listener listener = Simulation.controlListener(node);
        VirtualLoop there = listener == null ? null : listener.accept(other);
        if (there != null) {
            other.peer = this;
            peer = other;
            other.active = true;
            other.unsafe().register(there, new DefaultChannelPromise(other, there));
        }
        connected(world, Delays.socket(world), there != null, promise);
    }

    private void connected(World world, long delayNs, boolean met, ChannelPromise promise) {
        world.after(
                delayNs,
                loop.host(),
                () -> loop.execute(() -> {
                    if (!open || !met) {
                        promise.tryFailure(new ConnectException(met ? "closed" : "nobody listens"));
                        return;
                    }
                    active = true;
                    promise.trySuccess();
                    pipeline().fireChannelActive();
                }));
    }

    /** Bytes of a plain peer are on their way. */
    void receive(byte[] bytes) {
        arrive(Delays.local(loop.world()), () -> deliver(bytes));
    }

    void onPeerClosed() {
        arrive(Delays.local(loop.world()), () -> unsafe().close(voidPromise()));
    }

    private void arrive(long delayNs, Runnable arrival) {
        World world = loop.world();
        long atNs = Math.max(lastArrivalNs + 1, world.nowNs() + delayNs);
        lastArrivalNs = atNs;
        world.after(atNs - world.nowNs(), loop.host(), () -> loop.execute(arrival));
    }

    private void deliver(byte[] bytes) {
        if (open) {
            pipeline().fireChannelRead(alloc().directBuffer(bytes.length).writeBytes(bytes));
            pipeline().fireChannelReadComplete();
        }
    }

    private void arriveAtPeer(Runnable arrival) {
        if (peer != null && peer.loop != null) {
            peer.arrive(Delays.socket(loop.world()), arrival);
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        int size = 0;
        byte[] bytes = new byte[(int) in.totalPendingWriteBytes()];
        for (Object message = in.current(); message != null; message = in.current()) {
            ByteBuf buffer = (ByteBuf) message;
            int length = buffer.readableBytes();
            if (size + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, size + length);
            }
            buffer.getBytes(buffer.readerIndex(), bytes, size, length);
            size += length;
            in.remove();
        }
        byte[] written = size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
        SimulatedChannel to = peer;
        if (size > 0 && plain != null) {
            plain.arrive(written);
        } else if (size > 0 && to != null) {
            arriveAtPeer(() -> {
                if (to.open) {
                    to.pipeline().fireChannelRead(Unpooled.wrappedBuffer(written));
                    to.pipeline().fireChannelReadComplete();
                }
            });
        }
    }

    @Override
    protected void doClose() {
        open = false;
        active = false;
        if (plain != null) {
            plain.onPeerClosed();
        } else if (peer != null) {
            SimulatedChannel to = peer;
            arriveAtPeer(() -> to.unsafe().close(to.voidPromise()));
        }
    }

    /** The connection or one end's process has ended; the other end learns of it later. */
    void cut() {
        World world = loop.world();
        SimulatedChannel to = peer;
        open = false;
        active = false;
        if (plain != null) {
            plain.onPeerClosed();
        }
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
        return HERE;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return THERE;
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
