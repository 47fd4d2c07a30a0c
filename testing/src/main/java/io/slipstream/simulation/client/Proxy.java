// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.slipstream.link.BrokerLinks;
import io.slipstream.link.Devices;
import io.slipstream.link.LinkEnvironment;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.control.ControlEndpoints;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.count.PartitionTable;
import io.slipstream.proxy.fetch.FetchResources;
import io.slipstream.proxy.fetch.FetchSessions;
import io.slipstream.proxy.fetch.SharedReads;
import io.slipstream.proxy.rdma.ClientFastPath;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.simulation.Delays;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.PlainSocket;
import io.slipstream.simulation.VirtualLoop;
import io.slipstream.simulation.VirtualThread;
import io.slipstream.simulation.World;
import io.slipstream.simulation.rdma.Fabric;
import io.slipstream.simulation.rdma.SimulatedDevice;
import io.slipstream.simulation.rdma.SimulatedProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One life of the proxy process: the proxy's own classes on one event loop, assembled as in its factory. */
public final class Proxy {
    private static final long MS = 1_000_000;
    /** Segments are short here. */
    private static final int LEAST_SHARED_BYTES = 64;

    private static final long OUTBOUND_BYTES = 1 << 20;
    private static final Path DIRECTORY = Path.of("/sim");

    private final World world;
    private final Host host;
    private final VirtualLoop loop;
    private final RdmaDevice device;
    private final Devices devices;
    private final ControlEndpoints endpoints;
    private final BrokerLinks links;
    private final LoopMemory memory;
    private final LinkEnvironment environment;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final FetchResources fetches;
    private final Sessions clients;
    private final List<PlainSocket> sockets = new ArrayList<>();
    private boolean ended;

    /** Sizes chosen by a scenario. */
    public record Sizes(int replyRingBytes, int credits, int waitingRequests, int readMemoryBytes) {}

    public Proxy(World world, Host host, Fabric fabric, Sessions clients, Sizes sizes) {
        MeterRegistry registry = clients.registry();
        this.world = world;
        this.clients = clients;
        this.host = host;
        this.loop = VirtualLoop.of(world, host);
        this.device = new SimulatedDevice(fabric, host);
        TransportSettings transport =
                new TransportSettings(TransportSettings.AUTO, DeviceConfig.DEFAULT, 0, sizes.readMemoryBytes());
        LinkSettings link = new LinkSettings(
                transport,
                DIRECTORY,
                ControlPorts.NONE,
                sizes.replyRingBytes(),
                sizes.credits(),
                sizes.waitingRequests(),
                MS / 4,
                20 * MS,
                MS / 2,
                4 * MS,
                MS / 2,
                10 * MS);
        FastPathSettings settings = new FastPathSettings(true, link, 5 * MS, 5 * MS, 3 * MS, 16, 16 << 11);
        VirtualThread setup = VirtualThread.of(world, host);
        SimulatedProvider.of(() -> device);
        this.devices = new Devices(transport, registry);
        this.endpoints = new ControlEndpoints(link, host.toString(), new NameLookups());
        this.environment = new LinkEnvironment(link, devices, new LinkMeters(registry), setup, allocator);
        this.memory = new LoopMemory(loop, transport.readMemoryBytes(), allocator, setup, registry);
        this.links = new BrokerLinks(clients.turns.apply(loop), environment, endpoints, memory);
        SharedReads reads = new SharedReads(
                loop, new OutboundBudget(OUTBOUND_BYTES, registry), environment.meters(), LEAST_SHARED_BYTES);
        clients.started(this);
        FetchSessions sessions =
                new FetchSessions(settings.fetchSessionBytesPerLoop(), registry.count(Meter.FETCH_SESSIONS));
        this.fetches = new FetchResources(loop, environment, settings, reads, sessions, new PartitionTable());
    }

    public Host host() {
        return host;
    }

    VirtualLoop loop() {
        return loop;
    }

    UnpooledByteBufAllocator allocator() {
        return allocator;
    }

    FastPath open(FastPathFactory.ClientConnection connection) {
        SimulatedProvider.of(() -> device);
        return new ClientFastPath(connection, links, () -> true, fetches);
    }

    /** A client connects to the port of that broker. */
    void connect(PlainSocket client, int node) {
        sockets.add(client);
        world.after(Delays.threadTurn(world), null, () -> {
            if (host.isAlive()) {
                world.after(0, host, () -> loop.execute(() -> clients.serve(client, node, this)));
            } else {
                client.refuse();
            }
        });
    }

    /** SIGKILL. */
    public void kill() {
        host.kill();
        ((SimulatedDevice) device).kill();
        loop.abandonChannels();
        sockets.forEach(PlainSocket::refuse);
    }

    /** Ends all links, when no client is left. */
    public void close() {
        loop.execute(() -> links.close().thenCompose(done -> memory.close()).thenAccept(done -> {
            ended = true;
            endpoints.close();
        }));
    }

    /**
     * Returns a description of leftovers after closing; null if none.
     *
     * @param wasKilled whether an earlier proxy of the same registry was killed
     */
    public String residue(boolean wasKilled) {
        if (clients.unfinished() != 0 && !wasKilled) {
            return clients.unfinished() + " client sessions never ended at " + host;
        } else if (!ended) {
            return "links or buffers of " + host + " never ended";
        } else if (devices.registeredBytes() != 0) {
            return devices.registeredBytes() + " bytes stay registered at " + host;
        } else if (allocator.metric().usedDirectMemory() != 0) {
            return allocator.metric().usedDirectMemory() + " bytes of buffers are never released at " + host;
        }
        return null;
    }

    public void release() {
        devices.close();
    }

    /** Ends the connection of the control channel. */
    public void cutControl() {
        if (host.isAlive()) {
            loop.execute(loop::closeChannels);
        }
    }
}
