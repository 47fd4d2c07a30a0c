// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.ConnectionRequest;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The target's side of a handshake.
 *
 * <pre>
 *   CONNECT_REQUEST ─▶ handler asked ──accept──▶ ibv_qp made, stage completed, rdma_accept ─▶ ESTABLISHED
 *                          └─reject, deadline, peer gone──▶ rdma_reject, id destroyed
 * </pre>
 *
 * <p>The stage completes before rdma_accept, so that the peer cannot be connected before this side knows it. Confined
 * to the connection thread, except for the answer, which may come from any thread.
 */
final class VerbsIncomingConnection implements ConnectionRequest, CmEvent.Handler {
    private static final Logger log = LoggerFactory.getLogger(VerbsIncomingConnection.class);

    private final VerbsDevice device;
    private final VerbsListener listener;
    private final long id;
    private final PrivateData peer;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
    private ConnectionThread.Timer deadline;
    private boolean over;

    VerbsIncomingConnection(VerbsDevice device, VerbsListener listener, long id, PrivateData peer) {
        this.device = device;
        this.listener = listener;
        this.id = id;
        this.peer = peer;
    }

    void start() {
        device.handlers.put(id, this);
        deadline = device.schedule(
                () -> fail("not answered within " + TimeUnit.NANOSECONDS.toMillis(VerbsDevice.HANDSHAKE_DEADLINE_NS)
                        + " ms"),
                VerbsDevice.HANDSHAKE_DEADLINE_NS);
    }

    @Override
    public ByteBuffer privateData() {
        return ByteBuffer.wrap(peer.payload()).asReadOnlyBuffer();
    }

    @Override
    public CompletionStage<QueuePair> accept(QueuePairConfig config) {
        answer();
        VerbsReservation reservation;
        try {
            reservation = new VerbsReservation(device, config);
        } catch (RuntimeException e) {
            accepted.completeExceptionally(e);
            device.execute(() -> fail("the target could not accept: " + e.getMessage()));
            return accepted;
        }
        if (!device.execute(() -> accept(reservation))) {
            reservation.release(0);
            accepted.completeExceptionally(new IOException("device is closed"));
        }
        return accepted;
    }

    private void answer() {
        if (!answered.compareAndSet(false, true)) {
            throw new IllegalStateException("the request was already answered");
        }
    }

    private void accept(VerbsReservation reservation) {
        if (over) {
            reservation.release(0);
            accepted.completeExceptionally(new IOException("the peer gave up before it was accepted"));
            return;
        }
        VerbsQueuePair queuePair;
        try {
            queuePair = makeQueuePair(reservation);
        } catch (IOException e) {
            reservation.release(0);
            fail("the target could not accept: " + e.getMessage());
            return;
        }
        settle();
        accepted.complete(queuePair);
        finish(queuePair, new PrivateData(reservation.config.receiveDepth(), new byte[0]));
    }

    private VerbsQueuePair makeQueuePair(VerbsReservation reservation) throws IOException {
        device.natives.setAckTimeout(id, VerbsDevice.ACK_TIMEOUT_EXPONENT);
        long nativeQueuePair = reservation.createQueuePair(id);
        try {
            return device.addQueuePair(id, nativeQueuePair, reservation, peer);
        } catch (IOException e) {
            device.natives.destroyQueuePair(id);
            throw e;
        }
    }

    private void finish(VerbsQueuePair queuePair, PrivateData answer) {
        ConnectionControl control = queuePair.control;
        if (!queuePair.isConnected()) {
            // The stage's receiver has closed it, which also destroys the id and drops the peer's request.
            return;
        }
        try {
            int bytes = answer.encode(device.scratch);
            device.natives.accept(id, device.scratch, bytes, device.config.rnrRetryCount());
            queuePair.ready = true;
            control.awaitEstablished(VerbsDevice.HANDSHAKE_DEADLINE_NS);
        } catch (IOException e) {
            queuePair.disconnect("could not accept: " + e.getMessage());
        }
    }

    @Override
    public void reject(String reason) {
        answer();
        device.execute(() -> fail(reason));
    }

    void rejectUnlessAnswered(String reason) {
        if (answered.compareAndSet(false, true)) {
            fail(reason);
        }
    }

    /** Before the answer, the only possible event is the peer's end. */
    @Override
    public void onEvent(ByteBuffer event) {
        fail("the peer gave up before it was accepted (event " + event.getInt(CmEvent.TYPE) + ")");
    }

    private void fail(String reason) {
        if (over) {
            return;
        }
        settle();
        reject(device, id, reason);
        accepted.completeExceptionally(new IOException(reason));
    }

    private void settle() {
        over = true;
        deadline.cancel();
        listener.answered();
    }

    /** Connection thread: rejects a request and destroys its id. */
    static void reject(VerbsDevice device, long id, String reason) {
        try {
            int bytes = PrivateData.ofReject(reason).encode(device.scratch);
            device.natives.reject(id, device.scratch, bytes);
        } catch (IOException e) {
            // The peer is already gone.
            log.debug("A connection request cannot be rejected: {}", e.getMessage());
        }
        device.destroyId(id);
    }
}
