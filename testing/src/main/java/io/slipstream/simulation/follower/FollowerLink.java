// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.follower;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.slipstream.link.BrokerLink;
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
import io.slipstream.link.work.LoopTurn;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.simulation.Host;
import io.slipstream.simulation.VirtualLoop;
import io.slipstream.simulation.VirtualThread;
import io.slipstream.simulation.World;
import io.slipstream.simulation.broker.Broker;
import io.slipstream.simulation.rdma.Fabric;
import io.slipstream.simulation.rdma.SimulatedDevice;
import io.slipstream.simulation.rdma.SimulatedProvider;
import java.nio.file.Path;

/** The link of a follower's process to one leader, assembled as in {@code LeaderLinks}. */
final class FollowerLink {
    private static final long MS = 1_000_000;
    private static final int READ_MEMORY_BYTES = 1 << 16;
    private static final int CREDITS = 2;
    /** Longer than two waits of a fetch, in which a session is bound. */
    private static final long IDLE_NS = 60 * MS;

    private final Host host;
    private final VirtualLoop loop;
    private final SimulatedDevice device;
    private final MeterRegistry registry = new MeterRegistry(Meter.values());
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final Devices devices;
    private final ControlEndpoints endpoints;
    private final LoopMemory memory;
    final BrokerLink link;
    final FollowerLoop waits;
    private boolean ended;
    private long sessionsLeft;

    FollowerLink(World world, Host host, Fabric fabric, int leader, int replyRingBytes) {
        this.host = host;
        this.loop = VirtualLoop.of(world, host);
        this.device = new SimulatedDevice(fabric, host);
        SimulatedProvider.of(host.toString(), device);
        TransportSettings transport = new TransportSettings(
                TransportSettings.AUTO, new DeviceConfig(host.toString(), 0, -1, 3, 6), 0, READ_MEMORY_BYTES);
        LinkSettings settings = new LinkSettings(
                transport,
                Path.of("/sim"),
                ControlPorts.NONE,
                replyRingBytes,
                CREDITS,
                CREDITS,
                MS / 2,
                20 * MS,
                MS / 2,
                4 * MS,
                MS / 2,
                IDLE_NS);
        VirtualThread setup = VirtualThread.of(world, host);
        this.devices = new Devices(transport, registry);
        this.endpoints = new ControlEndpoints(settings, host.toString(), new NameLookups());
        LinkEnvironment environment =
                new LinkEnvironment(settings, devices, new LinkMeters(registry), setup, allocator);
        this.memory = new LoopMemory(loop, READ_MEMORY_BYTES, allocator, setup, registry);
        this.link = new BrokerLink(new LoopTurn(loop), environment, endpoints.of(Broker.CLUSTER, leader), memory);
        this.waits = new FollowerLoop(world, host, loop);
    }

    /** The process is killed. */
    void kill() {
        device.kill();
        loop.abandonChannels();
    }

    void cutControl() {
        loop.execute(loop::closeChannels);
    }

    /** Ends the link, when no fetcher is left, and so no session. */
    void close() {
        sessionsLeft = registry.value(Meter.SESSIONS_BOUND);
        loop.execute(() -> link.close().thenCompose(done -> memory.close()).thenAccept(done -> {
            ended = true;
            endpoints.close();
        }));
    }

    /** Returns what is left after closing; null if there is nothing. */
    String residue() {
        if (!ended) {
            return "the link of a follower at " + host + " never ended";
        } else if (registry.value(Meter.LINKS_UP) + sessionsLeft != 0) {
            return "links or sessions of a follower at " + host + " are left";
        } else if (devices.registeredBytes() != 0 || allocator.metric().usedDirectMemory() != 0) {
            return devices.registeredBytes() + " registered bytes and "
                    + allocator.metric().usedDirectMemory() + " bytes of buffers of a follower are left at " + host;
        }
        return null;
    }

    void release() {
        devices.close();
    }
}
