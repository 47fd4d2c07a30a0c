// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.util.HashMap;
import java.util.Map;

/** Settings from the environment. */
record Settings(String bootstrap, String topic, int partitions, String group, int rate, String results, long run) {
    static final String LANGUAGE = "java";

    static Settings of(Map<String, String> environment) {
        String topic = environment.get("TOPIC");
        if (topic == null) {
            throw new IllegalArgumentException("TOPIC is not set");
        }
        return new Settings(
                environment.getOrDefault("BOOTSTRAP_SERVERS", "localhost:9092"),
                topic,
                Integer.parseInt(environment.getOrDefault("PARTITIONS", "6")),
                environment.getOrDefault("GROUP", topic + "-readers"),
                Integer.parseInt(environment.getOrDefault("RATE", "200")),
                environment.getOrDefault("RESULTS", "/results"),
                Long.parseLong(environment.getOrDefault("RUN", Long.toString(System.currentTimeMillis()))));
    }

    /** Returns the settings common to producer and consumer. */
    Map<String, Object> client() {
        Map<String, Object> client = new HashMap<>();
        client.put("bootstrap.servers", bootstrap);
        client.put("client.id", LANGUAGE);
        client.put("request.timeout.ms", 10_000);
        client.put("reconnect.backoff.max.ms", 500);
        client.put("retry.backoff.max.ms", 500);
        client.put("metadata.max.age.ms", 10_000);
        return client;
    }
}
