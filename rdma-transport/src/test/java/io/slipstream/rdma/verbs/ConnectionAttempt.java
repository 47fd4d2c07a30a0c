// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/** Connects through the natives only, with any private data, like a peer of another protocol. */
final class ConnectionAttempt implements AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int TIMEOUT_MS = 10_000;

    private final NativeVerbs natives = NativeLibrary.natives();
    private final ByteBuffer event =
            ByteBuffer.allocateDirect(CmEvent.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long channel = natives.createEventChannel();
    private final long id = natives.createId(channel);
    private NativeEnd end;

    ConnectionAttempt() throws IOException {}

    /** Sends a connection request. The answer is not taken yet. */
    void request(String address, byte[] privateData) throws IOException {
        SocketAddress target = SocketAddress.parse(address);
        natives.resolveAddress(id, null, target.ip(), target.scopeId(), target.port(), TIMEOUT_MS);
        await(CmEvent.ADDR_RESOLVED);
        natives.resolveRoute(id, TIMEOUT_MS);
        await(CmEvent.ROUTE_RESOLVED);
        end = new NativeEnd(natives, id);
        ByteBuffer data = ByteBuffer.allocateDirect(Math.max(1, privateData.length));
        data.put(privateData);
        natives.connect(id, data, privateData.length, 3, 3);
    }

    /** The target's answer: null for {@code ESTABLISHED}, else the reason of its rejection. */
    String awaitAnswer() throws IOException {
        int type = awaitEvent();
        return type == CmEvent.ESTABLISHED ? null : PrivateData.rejectReason(event);
    }

    private void await(int type) throws IOException {
        int found = awaitEvent();
        if (found != type) {
            throw new IOException("event " + found + ", status " + event.getInt(CmEvent.STATUS) + ", not " + type);
        }
    }

    private int awaitEvent() throws IOException {
        long untilNs = System.nanoTime() + DEADLINE_NS;
        while (System.nanoTime() < untilNs) {
            if (natives.nextEvent(channel, 0, -1, 100, event) == CmEvent.CM) {
                return event.getInt(CmEvent.TYPE);
            }
        }
        throw new IOException("no event");
    }

    NativeEnd end() {
        return end;
    }

    @Override
    public void close() throws IOException {
        if (end != null) {
            end.close();
        } else {
            natives.destroyId(id);
        }
        natives.destroyEventChannel(channel);
    }
}
