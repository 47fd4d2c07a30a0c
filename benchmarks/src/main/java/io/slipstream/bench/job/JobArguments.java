// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Arguments of the form {@code --name value}. */
record JobArguments(Map<String, String> values) {
    static JobArguments of(String[] arguments) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            values.put(arguments[i], arguments[i + 1]);
        }
        return new JobArguments(values);
    }

    String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }

    int number(String name) {
        return Integer.parseInt(get(name));
    }

    String servers() {
        return get("--bootstrap-server");
    }

    String from() {
        return get("--topic");
    }

    String to() {
        return get("--to");
    }

    /** Whether the job itself feeds its records at a constant rate, instead of reading a log that is there before. */
    boolean isPaced() {
        return values.containsKey("--per-second");
    }

    /** Returns the processes whose use of processors is asked for. */
    List<Long> pids() {
        return Stream.of(values.getOrDefault("--pids", "").split(","))
                .filter(pid -> !pid.isEmpty())
                .map(Long::valueOf)
                .toList();
    }

    /** Returns a name that no other run has: group, transactional id and application id. */
    String id() {
        return get("--id");
    }
}
