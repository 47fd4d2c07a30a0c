// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.simulation.PlainSocket;
import io.slipstream.simulation.World;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/** The broker's end of a client's own connection. As in a broker, one request at a time is handled. */
final class KafkaEnd implements PlainSocket.Listener {
    private static final short PRODUCE = 0;
    private static final short FETCH = 1;
    static final short LIST_OFFSETS = 2;
    private static final short DESCRIBE_QUORUM = 55;
    private static final String NONCE = "slipstream-";
    private static final int NONCE_LENGTH = NONCE.length() + 32;
    private static final int UNKNOWN = 0;

    private final World world;
    private final Broker broker;
    private final Partitions partitions;
    private final PlainSocket socket;
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private int connection = UNKNOWN;
    private boolean busy;

    KafkaEnd(World world, Broker broker, Partitions partitions) {
        this.world = world;
        this.broker = broker;
        this.partitions = partitions;
        this.socket = new PlainSocket(world, broker.host(), this);
    }

    PlainSocket socket() {
        return socket;
    }

    @Override
    public void onFrame(byte[] frame) {
        waiting.add(frame);
        next();
    }

    private void next() {
        if (!busy && !waiting.isEmpty()) {
            busy = true;
            byte[] frame = waiting.poll();
            world.after(partitions.handlerNs(), broker.host(), () -> handle(frame));
        }
    }

    private void handle(byte[] bytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        int correlationId = frame.getInt(4);
        if (connection == UNKNOWN) {
            connection = connectionOf(frame);
        }
        switch (frame.getShort(0)) {
            case PRODUCE -> produce(frame, bytes);
            case FETCH -> {
                partitions.handledOverTcp(connection, correlationId);
                partitions.isInOrder(connection, correlationId);
                new BrokerFetch(world, partitions, connection, bytes).answer(broker.host(), this::answer);
            }
            case LIST_OFFSETS, DESCRIBE_QUORUM -> {
                partitions.handledOverTcp(connection, correlationId);
                partitions.isInOrder(connection, correlationId);
                answer(OtherAnswers.of(correlationId));
            }
            default -> {
                if (connection != UNKNOWN) {
                    broker.onApiVersions(connection, nonce(bytes));
                }
                answer(smallAnswer(correlationId));
            }
        }
    }

    static byte[] smallAnswer(int correlationId) {
        return ByteBuffer.allocate(14).putInt(correlationId).array();
    }

    private void produce(ByteBuffer frame, byte[] bytes) {
        ProduceFrames.Decoded request = ProduceFrames.decode(frame);
        partitions.handledOverTcp(connection, request.correlationId());
        if (partitions.wasSent(request, bytes)) {
            partitions.produce(request, frame, made -> answer(request.acks() == 0 ? null : made));
        }
    }

    private void answer(byte[] response) {
        if (response != null) {
            socket.send(response);
        }
        busy = false;
        next();
    }

    /** Returns the number in the client's id; requests of the proxy itself may have none. */
    static int connectionOf(ByteBuffer frame) {
        int length = frame.getShort(8);
        int number = UNKNOWN;
        for (int i = 1; i < length; i++) {
            number = 10 * number + frame.get(10 + i) - '0';
        }
        return number;
    }

    private static String nonce(byte[] frame) {
        String text = new String(frame, StandardCharsets.ISO_8859_1);
        int at = text.indexOf(NONCE);
        return at < 0 ? null : text.substring(at, at + NONCE_LENGTH);
    }

    @Override
    public void onEnd() {
        if (connection != UNKNOWN) {
            broker.onDisconnect(connection);
        }
    }
}
