// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import java.util.List;

/** Recognises the JVMs of Kafka's tools, which share {@code KAFKA_OPTS} with the broker. */
final class JvmRole {
    private static final List<String> TOOL_PACKAGES = List.of(
            "kafka.tools.", "kafka.admin.", "kafka.docker.", "org.apache.kafka.tools.", "org.apache.kafka.connect.");

    private JvmRole() {}

    /** @param javaCommand main class and arguments, as in {@code sun.java.command} */
    static boolean isTool(String javaCommand) {
        return TOOL_PACKAGES.stream().anyMatch(javaCommand::startsWith);
    }
}
