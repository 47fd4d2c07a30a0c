package io.slipstream.bench;

import java.io.IOException;

/** Requests on their way and their answers, each request in a slot of its own. Driven by one thread, which does all the work. */
interface Exchange extends AutoCloseable {
    /** Sends the next request of a slot whose last one is answered. */
    void send(int slot) throws IOException;

    /** Waits for an answer, with a deadline; returns the slot that it answers. */
    int receive() throws IOException;

    /** Bytes of whole batches in all answers so far; 0 where answers are not taken apart. */
    long recordBytes();

    @Override
    void close() throws IOException;
}
