// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

/**
 * Stands for a class of the broker. Tests refer to it by name only, so that it is not loaded before the hooks are
 * installed.
 */
public class UnloadedTarget {
    public String greet(String name) {
        return "hello " + name;
    }
}
