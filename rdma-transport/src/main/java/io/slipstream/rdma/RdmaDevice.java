// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;

/** An opened device of one provider. Thread-safe. One connection thread of its own, no thread on the data path. */
public interface RdmaDevice extends AutoCloseable {
    /** Most bytes of private data a connection carries, either way. */
    int MAX_PRIVATE_DATA_BYTES = 48;

    String provider();

    /** Name of the device and, where it has several, its port, for logs and metrics: {@code rxe0}, {@code mlx5_0/1}. */
    default String name() {
        return provider();
    }

    ProtectionDomain createProtectionDomain();

    /** @param capacity most completions it must hold, the sum over its queue pairs' depths */
    CompletionQueue createCompletionQueue(int capacity) throws IOException;

    /**
     * Starts to listen. {@code address} is the provider's: a socket path for {@code shm}, host:port for {@code verbs}, where an empty host
     * means the address of the device itself (its GID's) and port 0 any free one, so {@code ":0"} always does.
     */
    RdmaListener listen(String address, RdmaListener.Handler handler) throws IOException;

    /**
     * Connects; the stage fails with an IOException that names the address and the cause, at the latest after the deadline.
     * Stages of this API complete on the device's connection thread: what follows there must not block.
     */
    CompletionStage<QueuePair> connect(String address, QueuePairConfig config, ByteBuffer privateData, long timeoutNs);

    /** What this device can do with files in that directory; tries it with a file of its own there. Blocks. */
    FileRegistration probe(Path directory) throws IOException;

    /** Bytes registered over all protection domains. */
    long registeredBytes();

    /** Sums over all completion queues of this device, closed ones included. */
    TransportCounters counters();

    /** Closes all that was made from it. */
    @Override
    void close();
}
