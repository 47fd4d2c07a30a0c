// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.util.Arrays;

/**
 * An end of a stream socket without an event loop: a Kafka client's, or a broker's. Its frames have a size before them,
 * and arrive in order.
 */
public final class PlainSocket {
    private static final byte[] NOTHING = {};

    /** The owner of this end. */
    public interface Listener {
        default void onConnected() {}

        void onFrame(byte[] frame);

        /** The connection has ended; not called after {@link PlainSocket#close}. */
        void onEnd();
    }

    private final World world;
    private final Host host;
    private final Listener listener;
    private SimulatedChannel peer;
    private byte[] received = NOTHING;
    private long lastArrivalNs;
    private boolean closed;

    /** @param host the process that owns this end; null for clients */
    public PlainSocket(World world, Host host, Listener listener) {
        this.world = world;
        this.host = host;
        this.listener = listener;
    }

    void meet(SimulatedChannel channel) {
        peer = channel;
        if (closed) {
            peer.onPeerClosed();
        } else {
            later(() -> {
                if (!closed) {
                    listener.onConnected();
                }
            });
        }
    }

    /** The peer's process ended, or there is none. */
    public void refuse() {
        onPeerClosed();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Sends a frame, without its size. */
    public void send(byte[] frame) {
        if (!closed && peer != null) {
            byte[] bytes = new byte[Integer.BYTES + frame.length];
            putInt(bytes, frame.length);
            System.arraycopy(frame, 0, bytes, Integer.BYTES, frame.length);
            peer.receive(bytes);
        }
    }

    private static void putInt(byte[] bytes, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[i] = (byte) (value >>> 8 * (Integer.BYTES - 1 - i));
        }
    }

    /** Ends the connection; the peer learns of it later. */
    public void close() {
        if (!closed) {
            closed = true;
            if (peer != null) {
                peer.onPeerClosed();
            }
        }
    }

    void arrive(byte[] bytes) {
        later(() -> {
            if (!closed) {
                take(bytes);
            }
        });
    }

    void onPeerClosed() {
        later(() -> {
            if (!closed) {
                closed = true;
                listener.onEnd();
            }
        });
    }

    private void later(Runnable arrival) {
        lastArrivalNs = Math.max(lastArrivalNs + 1, world.nowNs() + Delays.local(world));
        world.after(lastArrivalNs - world.nowNs(), host, arrival);
    }

    private void take(byte[] bytes) {
        byte[] all = bytes;
        if (received.length > 0) {
            all = Arrays.copyOf(received, received.length + bytes.length);
            System.arraycopy(bytes, 0, all, received.length, bytes.length);
        }
        int at = 0;
        while (all.length - at >= Integer.BYTES && !closed) {
            int size = 0;
            for (int i = 0; i < Integer.BYTES; i++) {
                size = size << 8 | all[at + i] & 0xff;
            }
            if (size < 0 || size > 1 << 24) {
                world.violate("responses", "a frame of " + size + " bytes");
                return;
            } else if (all.length - at - Integer.BYTES < size) {
                break;
            }
            at += Integer.BYTES + size;
            listener.onFrame(Arrays.copyOfRange(all, at - size, at));
        }
        received = at == all.length ? NOTHING : Arrays.copyOfRange(all, at, all.length);
    }
}
