// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.hook;

import java.util.List;

/**
 * One method of the broker into which advice is woven. All hooks of a line are installed, or none. Each must match
 * exactly one method.
 *
 * @param className binary name, e.g. {@code kafka.server.KafkaApis}
 * @param methodName name of the method; {@code <init>} for constructors
 * @param parameterTypes binary names of the parameter types, in order
 * @param advice ByteBuddy advice. Its signatures use Object instead of Kafka types, because a Kafka type would load the
 *     class during its own transformation. It calls only classes of the plugin, and throws
 *     nothing but what a callback of the broker throws.
 */
public record HookPoint(String className, String methodName, List<String> parameterTypes, Class<?> advice) {
    public HookPoint {
        parameterTypes = List.copyOf(parameterTypes);
    }

    public HookPoint(Class<?> advice, String className, String methodName, String... parameterTypes) {
        this(className, methodName, List.of(parameterTypes), advice);
    }

    @Override
    public String toString() {
        return className + "." + methodName + "(" + String.join(", ", parameterTypes) + ")";
    }
}
