// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

/**
 * A bug that can be planted.
 *
 * @param name what it is planted by
 * @param breaks the rule that it breaks, in words
 * @param className of the class it is woven into
 * @param method name of the method, of all overloads; {@code <init>} for constructors
 * @param advice class with ByteBuddy's advice
 */
public record PlantedBug(String name, String breaks, String className, String method, Class<?> advice) {}
