// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.util.concurrent.ScheduledFuture;
import io.slipstream.link.control.ControlConnection;
import io.slipstream.link.control.ControlEndpoint;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.memory.ReadMemory;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.meter.LinkFailure;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.work.LinkPort;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionQueue;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to set up a link, in the order of docs/protocol.md ("Link set-up"): control connection, memory, OpenLink,
 * queue pair, export, receives, AttachLink. All steps but allocation run on the event loop. The attempt ends exactly
 * once, also if a step throws, and releases all resources unless it succeeds. The deadline covers the plugin's steps.
 * It excludes opening the device and registering memory, which may take long the first time.
 */
final class LinkEstablisher {
    /** Slots beyond this number are not used. Each slot may cause one doorbell at a time, which needs a receive. */
    static final int MAX_SLOTS = 4096;
    /**
     * Largest number of outstanding READs, arm WRITEs and control word WRITEs of one link, in addition to its frames.
     */
    private static final int MOST_READS = 512;

    private static final int OTHER_WRITES = 256;
    private static final long MAX_RING_BYTES = 1L << 30;
    private static final Logger log = LoggerFactory.getLogger(LinkEstablisher.class);

    private final LoopTurn turn;
    private final LinkEnvironment environment;
    private final LinkSettings settings;
    private final ControlEndpoint endpoint;
    private final LoopMemory loopMemory;
    private final BrokerLink link;
    private ScheduledFuture<?> deadline;

    private boolean done;
    private boolean connecting;
    private ControlConnection connection;
    private Devices.Opened device;
    private LinkMemory memory;
    private CompletionQueue completions;
    private QueuePair queuePair;
    private LinkPort port;
    private int linkId;

    record Parts(
            ControlConnection connection,
            int linkId,
            QueuePair queuePair,
            CompletionQueue completions,
            LinkMemory memory,
            LinkPort port) {}

    LinkEstablisher(
            LoopTurn turn,
            LinkEnvironment environment,
            ControlEndpoint endpoint,
            LoopMemory loopMemory,
            BrokerLink link) {
        this.turn = turn;
        this.environment = environment;
        this.settings = environment.settings();
        this.endpoint = endpoint;
        this.loopMemory = loopMemory;
        this.link = link;
    }

    void start() {
        endpoint.connection(turn.loop).whenComplete((reached, failure) -> next(() -> onReached(reached, failure)));
    }

    private void next(Runnable step) {
        turn.loop.execute(() -> take(step));
    }

    private void take(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            log.error("setting up a link failed in the proxy", e);
            fail(LinkFailure.INTERNAL_ERROR, e.toString());
        }
    }

    private void onReached(ControlConnection reached, Throwable failure) {
        if (done) {
            return;
        }
        if (failure != null) {
            FallbackReason reason = failure instanceof ControlEndpoint.Unreachable
                    ? FallbackReason.NO_PLUGIN
                    : FallbackReason.LINK_DOWN;
            fail(reason, LinkFailure.CONTROL_LOST, failure.getMessage());
            return;
        }
        connection = reached;
        environment.setup().execute(this::allocate);
    }

    /** Runs on the set-up thread. */
    private void allocate() {
        MemoryRegion replies = null;
        try {
            Devices.Opened opened =
                    environment.devices().open(connection.hello().provider());
            ReadMemory reads = loopMemory.of(opened.domain());
            int replyBytes = settings.replyRingBytes();
            replies = opened.domain().allocate(replyBytes, EnumSet.of(Access.REMOTE_WRITE));
            MemoryRegion words = opened.domain().allocate(LinkMemory.WORDS_BYTES, EnumSet.noneOf(Access.class));
            LinkMemory allocated = new LinkMemory(replies, words, null, reads);
            next(() -> onAllocated(opened, allocated));
        } catch (Devices.Unusable e) {
            turn.loop.execute(() -> fail(FallbackReason.NO_PROVIDER, LinkFailure.PROVIDER, e.getMessage()));
        } catch (Throwable e) {
            if (replies != null) {
                replies.close();
            }
            turn.loop.execute(() -> fail(LinkFailure.CONNECT, e.getMessage()));
        }
    }

    private void onAllocated(Devices.Opened opened, LinkMemory allocated) {
        device = opened;
        memory = allocated;
        if (done) {
            giveBack();
            return;
        }
        deadline = turn.loop.schedule(
                () -> fail(LinkFailure.TIMEOUT, "not established in time"),
                settings.controlTimeoutNs(),
                TimeUnit.NANOSECONDS);
        ask(new ControlRequest.OpenLink(settings.replyRingBytes(), settings.credits()), this::onOpened);
    }

    private void ask(ControlRequest request, Consumer<ControlResponse> then) {
        connection.ask(request, turn.loop, response -> {
            if (done) {
                return;
            }
            if (response == null || response.error() != ControlError.NONE) {
                String name = request.getClass().getSimpleName();
                String why = response == null ? "no answer" : response.error() + ": " + response.message();
                fail(LinkFailure.REFUSED, name + ": " + why);
            } else {
                take(() -> then.accept(response));
            }
        });
    }

    private void onOpened(ControlResponse response) {
        ControlResponse.OpenLink opened = (ControlResponse.OpenLink) response;
        linkId = opened.linkId();
        int credits = settings.credits();
        int sendDepth = MOST_READS + credits + OTHER_WRITES + LinkPort.UNREPORTED;
        int receiveDepth = receives();
        try {
            completions = device.device().createCompletionQueue(sendDepth + receiveDepth);
        } catch (IOException e) {
            fail(LinkFailure.CONNECT, e.getMessage());
            return;
        }
        turn.newestQueue = completions;
        QueuePairConfig config = new QueuePairConfig(
                device.domain(), completions, sendDepth, receiveDepth, this::onQueuePairDisconnected);
        ByteBuffer token = ByteBuffer.allocate(Long.BYTES).putLong(0, opened.token());
        String address = connection.hello().address();
        connecting = true;
        device.device()
                .connect(address, config, token, settings.controlTimeoutNs())
                .whenComplete((connected, failure) -> next(() -> onConnected(connected, failure, sendDepth)));
    }

    /** One per reply and per armed slot, and those of throttle frames and parts of replies, which come in addition. */
    private int receives() {
        return RingFrame.mostUnanswered(settings.credits())
                + settings.credits()
                + MAX_SLOTS
                + RingFrame.mostParts(settings.replyRingBytes());
    }

    /** Called on the device's connection thread. */
    private void onQueuePairDisconnected(QueuePair lost, String reason) {
        if (!turn.loop.isShuttingDown()) {
            turn.loop.execute(() -> link.onDisconnected(lost, reason));
        }
    }

    private void onConnected(QueuePair connected, Throwable failure, int sendDepth) {
        connecting = false;
        queuePair = connected;
        if (done) {
            giveBack();
            return;
        }
        if (failure != null) {
            fail(LinkFailure.CONNECT, failure.toString());
            return;
        }
        port = new LinkPort(
                queuePair,
                device.domain().pinsFiles(),
                sendDepth - LinkPort.UNREPORTED,
                MOST_READS,
                environment.meters().operations);
        for (int i = 0; i < receives(); i++) {
            if (!port.postReceive()) {
                fail(LinkFailure.QUEUE_PAIR, "receive refused");
                return;
            }
        }
        queuePair.export(memory.replies()).whenComplete((exported, e) -> next(() -> onExported(e)));
    }

    private void onExported(Throwable failure) {
        if (done) {
            return;
        }
        if (failure != null) {
            fail(LinkFailure.QUEUE_PAIR, failure.toString());
            return;
        }
        MemoryRegion replies = memory.replies();
        RemoteMemory ring = new RemoteMemory(replies.address(), replies.lengthBytes(), replies.rkey());
        ask(new ControlRequest.AttachLink(linkId, ring), this::onAttached);
    }

    private void onAttached(ControlResponse response) {
        ControlResponse.AttachLink attached = (ControlResponse.AttachLink) response;
        long ringBytes = attached.requestRing().lengthBytes();
        if (Long.bitCount(ringBytes) != 1 || ringBytes < RingFrame.ALIGNMENT || ringBytes > MAX_RING_BYTES) {
            fail(LinkFailure.PROTOCOL, "a request ring of " + ringBytes + " bytes");
        } else if (attached.slotCount() < 0 || attached.credits() < 1) {
            fail(LinkFailure.PROTOCOL, attached.slotCount() + " slots and " + attached.credits() + " credits");
        } else if (device.domain().anyLocalMemoryKey() == -1) {
            environment.setup().execute(() -> mirror(attached));
        } else {
            succeed(attached);
        }
    }

    /**
     * Runs on the set-up thread. If local segments must be registered, frames are sent from a mirror of the request
     * ring.
     */
    private void mirror(ControlResponse.AttachLink attached) {
        try {
            MemoryRegion staging =
                    device.domain().allocate(attached.requestRing().lengthBytes(), EnumSet.noneOf(Access.class));
            next(() -> {
                if (done) {
                    environment.setup().execute(staging::close);
                } else {
                    memory = new LinkMemory(memory.replies(), memory.words(), staging, memory.reads());
                    succeed(attached);
                }
            });
        } catch (Throwable e) {
            turn.loop.execute(() -> fail(LinkFailure.CONNECT, e.getMessage()));
        }
    }

    private void succeed(ControlResponse.AttachLink attached) {
        Parts parts = new Parts(connection, linkId, queuePair, completions, memory, port);
        LiveLink established = new LiveLink(turn, environment, parts, attached, link::onDown);
        done = true;
        deadline.cancel(false);
        link.onEstablished(established);
    }

    void fail(LinkFailure failure, String message) {
        fail(FallbackReason.LINK_DOWN, failure, message);
    }

    private void fail(FallbackReason reason, LinkFailure failure, String message) {
        if (done) {
            return;
        }
        done = true;
        if (deadline != null) {
            deadline.cancel(false);
        }
        log.debug("link not established: {}", message);
        giveBack();
        link.onFailed(reason, failure, message);
    }

    /** Releases the resources acquired so far. Pending ones are released when they arrive. */
    private void giveBack() {
        if (queuePair != null) {
            queuePair.close();
            queuePair = null;
        }
        // A pending connect still needs the completion queue; its end calls this method again.
        if (completions != null && !connecting) {
            completions.close();
            completions = null;
        }
        if (memory != null) {
            memory.close(environment.setup());
            memory = null;
        }
    }
}
