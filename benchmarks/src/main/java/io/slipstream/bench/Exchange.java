// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;

/** Requests on their way and their answers, each request in a slot of its own. Driven by one thread, which does all the work. */
interface Exchange extends AutoCloseable {
    /** What must be done before the next request of a slot and is not part of it; untimed. */
    default void prepare(int slot) throws IOException {}

    /** Sends the next request of a slot whose last one is answered. */
    void send(int slot) throws IOException;

    /** Waits for an answer, with a deadline; returns the slot that it answers. */
    int receive() throws IOException;

    /** Bytes of whole batches that were appended, or were in answers, so far; 0 where it is not about them. */
    long recordBytes();

    @Override
    void close() throws IOException;
}
