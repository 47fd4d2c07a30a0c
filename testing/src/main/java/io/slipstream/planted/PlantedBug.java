// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

/**
 * A bug that can be planted.
 *
 * @param name the name used to select it
 * @param breaks the violated rule, in words
 * @param className the class it is woven into
 * @param method name of the method, with all overloads; {@code <init>} for constructors
 * @param advice class with ByteBuddy's advice
 */
public record PlantedBug(String name, String breaks, String className, String method, Class<?> advice) {}
