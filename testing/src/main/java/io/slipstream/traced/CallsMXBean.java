package io.slipstream.traced;

import java.util.List;

/** Calls of Slipstream's methods in this process, from {@link #start} to {@link #stop}. */
public interface CallsMXBean {
    /** Forgets the calls so far, and notes all from now on. */
    void start();

    /** How many were noted. */
    int getCount();

    /** Those that were noted, in order: {@code class.method}. */
    List<String> stop();
}
