// SPDX-License-Identifier: Apache-2.0
package io.slipstream.traced;

import java.util.List;

/** Calls of Slipstream's methods in this process, from {@link #start} to {@link #stop}. */
public interface CallsMXBean {
    /** Separates the thread's name from the method's. */
    char SEPARATOR = '|';

    /** Discards recorded calls and starts recording. */
    void start();

    /** Returns the number of recorded calls. */
    int getCount();

    /** Stops recording and returns the calls in order: {@code thread|class.method}. */
    List<String> stop();
}
