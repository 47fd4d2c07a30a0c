// SPDX-License-Identifier: Apache-2.0
package io.slipstream.traced;

import java.util.List;

/** Calls of Slipstream's methods in this process, from {@link #start} to {@link #stop}. */
public interface CallsMXBean {
    /** Between the thread's name and the method's. */
    char SEPARATOR = '|';

    /** Forgets the calls so far, and notes all from now on. */
    void start();

    /** How many were noted. */
    int getCount();

    /** Those that were noted, in order: {@code thread|class.method}. */
    List<String> stop();
}
