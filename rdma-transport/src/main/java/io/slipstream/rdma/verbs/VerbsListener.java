// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.RdmaListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connection requests on an address of the device. Malformed requests are rejected with the reason. */
final class VerbsListener implements RdmaListener {
    private static final Logger log = LoggerFactory.getLogger(VerbsListener.class);
    private static final int BACKLOG = 128;
    /** Maximum number of unanswered requests. Further ones are rejected at once. */
    static final int MAX_PENDING_REQUESTS = 256;

    private final VerbsDevice device;
    private final Handler handler;
    private final long id;
    private final SocketAddress address;
    private int pendingRequests;

    private VerbsListener(VerbsDevice device, Handler handler, long id, SocketAddress address) {
        this.device = device;
        this.handler = handler;
        this.id = id;
        this.address = address;
    }

    static VerbsListener open(VerbsDevice device, String wanted, Handler handler, Map<Long, VerbsListener> listeners)
            throws IOException {
        SocketAddress named = SocketAddress.parse(wanted);
        SocketAddress own = device.selection.address().toSocketAddress();
        SocketAddress bound = named.hasHost() ? named : own.withPort(named.port());
        NativeVerbs natives = device.natives;
        long id = 0;
        try {
            id = natives.createId(device.channel);
            natives.bindAddress(id, bound.ip(), bound.scopeId(), bound.port());
            if (natives.contextOf(id) != device.context) {
                throw new IOException("not an address of device "
                        + device.selection.port().device() + ", which has "
                        + device.selection.port().addresses());
            }
            VerbsListener listener = new VerbsListener(device, handler, id, bound.withPort(natives.localPort(id)));
            // Before the first request can arrive.
            listeners.put(id, listener);
            natives.listen(id, BACKLOG);
            return listener;
        } catch (IOException e) {
            if (id != 0) {
                listeners.remove(id);
                natives.destroyId(id);
            }
            throw new IOException("cannot listen on " + wanted + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String address() {
        return address.toString();
    }

    /** Connection thread: a request on an id of its own, which must now be answered or destroyed. */
    void onRequest(long requestId, ByteBuffer event) {
        VerbsIncomingConnection connection;
        try {
            PrivateData peer = PrivateData.decode(event);
            if (pendingRequests == MAX_PENDING_REQUESTS) {
                throw new IOException("too many unanswered connection requests");
            }
            if (device.natives.contextOf(requestId) != device.context) {
                throw new IOException("this listener is for another device");
            }
            connection = new VerbsIncomingConnection(device, this, requestId, peer);
        } catch (IOException e) {
            log.debug("A connection request was rejected: {}", e.getMessage());
            VerbsIncomingConnection.reject(device, requestId, e.getMessage());
            return;
        }
        pendingRequests++;
        connection.start();
        try {
            handler.onConnectionRequest(connection);
        } catch (RuntimeException e) {
            log.warn("The handler of connection requests on {} failed", address, e);
            connection.rejectUnlessAnswered("the target failed");
        }
    }

    /** Connection thread. */
    void answered() {
        pendingRequests--;
    }

    @Override
    public void close() {
        device.closeListener(id, this);
    }
}
