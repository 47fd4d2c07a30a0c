// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/** An opened device of one provider. Thread-safe. It has one connection thread and no thread on the data path. */
public interface RdmaDevice extends AutoCloseable {
    /** Maximum number of bytes of private data of a {@link ConnectionRequest}. */
    int MAX_PRIVATE_DATA_BYTES = 48;

    String provider();

    /**
     * Name of the device and, if it has several ports, of its port, for logs and metrics: {@code rxe0}, {@code
     * mlx5_0/1}.
     */
    default String name() {
        return provider();
    }

    ProtectionDomain createProtectionDomain();

    /** @param capacity maximum number of completions it must hold: the sum over the depths of its queue pairs */
    CompletionQueue createCompletionQueue(int capacity) throws IOException;

    /**
     * Starts to listen. The format of {@code address} depends on the provider: a socket path for {@code shm}, host:port
     * for {@code verbs}. With {@code verbs} an empty host means the address of the device itself (of its GID), and port
     * 0 any free port, so {@code ":0"} always works.
     */
    RdmaListener listen(String address, RdmaListener.Handler handler) throws IOException;

    /**
     * Connects. By the deadline at the latest, the stage fails with an IOException that names the address and the
     * cause. Stages of this API complete on the device's connection thread: dependent actions must not block.
     *
     * @param privateData up to {@link #MAX_PRIVATE_DATA_BYTES} bytes for the peer; copied
     */
    CompletionStage<QueuePair> connect(String address, QueuePairConfig config, ByteBuffer privateData, long timeoutNs);

    /**
     * Finds the ways in which this device can register files of that directory. Creates, registers and deletes a
     * temporary file there. Blocks.
     */
    FileRegistration probe(Path directory) throws IOException;

    /** Bytes registered in all protection domains. */
    long registeredBytes();

    /** Sums over all completion queues of this device, including closed ones. */
    TransportCounters counters();

    /** Closes everything that was opened on this device. */
    @Override
    void close();
}
