// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection thread's side of a queue pair. It handles the end of the connection on either side and sends
 * keep-alives. After the owner thread has left them, it destroys the ibv_qp and then the rdma_cm_id.
 *
 * <p>A reliable connection without work in flight detects neither a host without power nor a broken link. Hence the
 * keep-alive: a write of zero bytes, which the peer's device acknowledges without its CPU. If it fails, the queue pair
 * ends.
 */
final class ConnectionControl implements CmEvent.Handler {
    private static final Logger log = LoggerFactory.getLogger(ConnectionControl.class);
    /**
     * Code of 163.84 ms (ibv_modify_qp(3)): with six retries, a request fails after about 1 s without a receive at the
     * peer.
     */
    private static final int MIN_RNR_TIMER = 28;

    final VerbsQueuePair queuePair;
    private final VerbsDevice device;
    private final long id;
    private final long nativeQueuePair;
    private final VerbsReservation reservation;
    private final ByteBuffer keepAlive = ByteBuffer.allocateDirect(VerbsLayout.SEND_BYTES);
    private volatile boolean keepAliveOutstanding;
    private boolean established;
    private boolean disconnected;
    private boolean destroyed;
    private boolean idDestroyed;

    ConnectionControl(
            VerbsQueuePair queuePair,
            VerbsDevice device,
            long id,
            long nativeQueuePair,
            VerbsReservation reservation,
            long idBase) {
        this.queuePair = queuePair;
        this.device = device;
        this.id = id;
        this.nativeQueuePair = nativeQueuePair;
        this.reservation = reservation;
        long request = BufferUtil.address(keepAlive);
        UnsafeApi.putLong(null, request + VerbsLayout.WR_ID, WorkRequestId.of(idBase, WorkRequestId.KEEP_ALIVE, 0));
        UnsafeApi.putInt(null, request + VerbsLayout.OPCODE, VerbsLayout.WR_RDMA_WRITE);
        UnsafeApi.putInt(null, request + VerbsLayout.SEND_FLAGS, VerbsLayout.FLAG_SIGNALED);
    }

    boolean is(long otherNativeQueuePair) {
        return nativeQueuePair == otherNativeQueuePair;
    }

    /** Both ends are connected. */
    void established() {
        established = true;
        try {
            device.natives.setMinRnrTimer(nativeQueuePair, MIN_RNR_TIMER);
        } catch (IOException e) {
            queuePair.disconnect(e.getMessage());
        }
    }

    /** The accepting end: gives up if the peer does not finish the handshake. */
    void awaitEstablished(long timeoutNs) {
        device.schedule(
                () -> {
                    if (!established && !destroyed) {
                        queuePair.disconnect("the peer did not finish connecting within "
                                + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms");
                    }
                },
                timeoutNs);
    }

    @Override
    public void onEvent(ByteBuffer event) {
        int type = event.getInt(CmEvent.TYPE);
        switch (type) {
            case CmEvent.ESTABLISHED -> established();
            case CmEvent.DISCONNECTED -> queuePair.disconnect("the peer ended the connection");
            case CmEvent.DEVICE_REMOVAL -> queuePair.disconnect("the RDMA device was removed");
            case CmEvent.CONNECT_ERROR, CmEvent.UNREACHABLE, CmEvent.REJECTED ->
                queuePair.disconnect("the peer gave up while connecting (event " + type + ", status "
                        + event.getInt(CmEvent.STATUS) + ")");
            default -> {
                // The end of TIMEWAIT, or a change of address.
            }
        }
    }

    /** Any thread, once. */
    void ended(String reason) {
        device.execute(() -> {
            disconnect();
            queuePair.tellListener(reason);
        });
    }

    private void disconnect() {
        if (disconnected || destroyed) {
            return;
        }
        disconnected = true;
        try {
            device.natives.moveToError(nativeQueuePair);
        } catch (IOException e) {
            log.debug("queue pair {}: {}", queuePair.number(), e.getMessage());
        }
        device.linkGate.whenUp(this::sayGoodbye);
    }

    private void sayGoodbye() {
        if (idDestroyed) {
            return;
        }
        try {
            device.natives.disconnect(id);
        } catch (IOException e) {
            // Never connected, or already disconnected.
            log.debug("queue pair {}: {}", queuePair.number(), e.getMessage());
        }
    }

    /** Posts a keep-alive only after the previous one has completed, so that they cannot fill the queue. */
    void keepAlive() {
        if (!established || keepAliveOutstanding || !queuePair.isConnected()) {
            return;
        }
        keepAliveOutstanding = true;
        int errno = device.natives.postSend(nativeQueuePair, BufferUtil.address(keepAlive));
        if (errno != 0) {
            queuePair.disconnect("keep-alive could not be posted: error " + errno);
        }
    }

    /** Owner thread. */
    void keepAliveCompleted() {
        keepAliveOutstanding = false;
    }

    /** Any thread, once, after {@link #ended}. */
    void closed() {
        OwnerActivity activity = queuePair.completionQueue.activity;
        device.execute(() -> device.whenQuiet(activity, this::destroy));
    }

    private void destroy() {
        disconnect();
        destroyed = true;
        device.natives.destroyQueuePair(id);
        int leftBehind = queuePair.free() + (keepAliveOutstanding ? 1 : 0);
        BufferUtil.free(keepAlive);
        device.linkGate.whenUp(() -> {
            idDestroyed = true;
            device.destroyId(id);
        });
        reservation.release(leftBehind);
        device.forget(this);
    }
}
