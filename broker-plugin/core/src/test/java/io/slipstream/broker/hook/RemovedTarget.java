// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/** Like {@link UnloadedTarget}, for hooks that are removed again. */
public class RemovedTarget {
    public String greet(String name) {
        return "hello " + name;
    }
}
