// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/** Like {@link UnloadedTarget}, for hooks that are removed and woven again. */
public class AgainTarget {
    public String greet(String name) {
        return "hello " + name;
    }
}
