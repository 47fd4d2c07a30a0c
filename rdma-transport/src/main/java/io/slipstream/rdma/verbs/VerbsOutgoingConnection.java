// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The initiator's side of a handshake.
 *
 * <pre>
 *   resolve address ─▶ ADDR_RESOLVED, resolve route ─▶ ROUTE_RESOLVED, ibv_qp made, connect ─▶ ESTABLISHED, queue pair
 *         └──────────────── error event, reject, deadline ────────────────┴──▶ all destroyed, stage fails
 * </pre>
 *
 * Connection thread only.
 */
final class VerbsOutgoingConnection implements CmEvent.Handler {
    private final VerbsDevice device;
    private final NativeVerbs natives;
    private final String address;
    private final byte[] privateData;
    private final VerbsReservation reservation;
    private final CompletableFuture<QueuePair> connected;
    private ConnectionThread.Timer deadline;
    private int timeoutMs;
    private long id;
    private long nativeQueuePair;
    private boolean over;

    VerbsOutgoingConnection(
            VerbsDevice device,
            String address,
            byte[] privateData,
            VerbsReservation reservation,
            CompletableFuture<QueuePair> connected) {
        this.device = device;
        this.natives = device.natives;
        this.address = address;
        this.privateData = privateData;
        this.reservation = reservation;
        this.connected = connected;
    }

    void start(long timeoutNs) {
        timeoutMs = (int) Math.min(Integer.MAX_VALUE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
        deadline = device.schedule(() -> fail("no answer within " + timeoutMs + " ms"), timeoutNs);
        try {
            SocketAddress target = SocketAddress.parse(address);
            if (!target.hasHost()) {
                throw new IOException("the address has no host");
            }
            if (!device.selection.port().isActiveNow()) {
                throw new IOException("the link of RDMA device " + device.name() + " is down");
            }
            id = natives.createId(device.channel);
            device.handlers.put(id, this);
            natives.resolveAddress(
                    id, device.selection.sourceFor(target), target.ip(), target.scopeId(), target.port(), timeoutMs);
        } catch (IOException e) {
            fail(e.getMessage());
        }
    }

    @Override
    public void onEvent(ByteBuffer event) {
        int status = event.getInt(CmEvent.STATUS);
        try {
            switch (event.getInt(CmEvent.TYPE)) {
                case CmEvent.ADDR_RESOLVED -> resolveRoute();
                case CmEvent.ROUTE_RESOLVED -> connect();
                case CmEvent.ESTABLISHED -> established(PrivateData.decode(event));
                case CmEvent.ADDR_ERROR, CmEvent.ROUTE_ERROR -> fail("no route to it (error " + -status + ")");
                case CmEvent.REJECTED -> fail(PrivateData.rejectReason(event));
                case CmEvent.UNREACHABLE -> fail("it does not answer (error " + -status + ")");
                default ->
                    fail("unexpected connection manager event " + event.getInt(CmEvent.TYPE) + ", status " + status);
            }
        } catch (IOException e) {
            fail(e.getMessage());
        }
    }

    private void resolveRoute() throws IOException {
        if (natives.contextOf(id) != device.context) {
            throw new IOException("it is not reached through device "
                    + device.selection.port().device() + " but through " + natives.deviceName(natives.contextOf(id)));
        }
        natives.setAckTimeout(id, VerbsDevice.ACK_TIMEOUT_EXPONENT);
        natives.resolveRoute(id, timeoutMs);
    }

    private void connect() throws IOException {
        nativeQueuePair = reservation.createQueuePair(id);
        int bytes = new PrivateData(reservation.config.receiveDepth(), privateData).encode(device.scratch);
        natives.connect(id, device.scratch, bytes, device.config.retryCount(), device.config.rnrRetryCount());
    }

    private void established(PrivateData peer) throws IOException {
        VerbsQueuePair queuePair = device.addQueuePair(id, nativeQueuePair, reservation, peer);
        over = true;
        deadline.cancel();
        queuePair.ready = true;
        queuePair.control.established();
        connected.complete(queuePair);
    }

    private void fail(String reason) {
        if (over) {
            return;
        }
        over = true;
        deadline.cancel();
        if (nativeQueuePair != 0) {
            natives.destroyQueuePair(id);
        }
        if (id != 0) {
            device.destroyId(id);
        }
        reservation.release(0);
        connected.completeExceptionally(new IOException("cannot connect to " + address + ": " + reason));
    }
}
