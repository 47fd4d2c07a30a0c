// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.util.Map;

/**
 * The names of clients, by the number that a history gives each of their sessions. A client that reopens after an error
 * keeps its name; so does its counterpart in another arm.
 */
public record ClientNames(Map<Integer, String> producers, Map<Integer, String> consumers) {
    public ClientNames {
        producers = Map.copyOf(producers);
        consumers = Map.copyOf(consumers);
    }
}
