// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;

/** Outstanding requests and their answers, each in its own slot. Confined to one thread, which does all the work. */
interface Exchange extends AutoCloseable {
    /** Prepares the next request of a slot, outside the measured time. */
    default void prepare(int slot) throws IOException {}

    /** Sends the next request of a slot whose last one is answered. */
    void send(int slot) throws IOException;

    /** Waits for an answer, with a deadline. Returns the answered slot. */
    int receive() throws IOException;

    /** Returns the bytes of whole batches appended or received so far; 0 for workloads without bytes. */
    long recordBytes();

    @Override
    void close() throws IOException;
}
