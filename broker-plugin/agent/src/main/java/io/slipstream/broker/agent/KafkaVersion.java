// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Kafka's version as its own {@code AppInfoParser} reports it, found without loading a class of Kafka. */
final class KafkaVersion {
    /** Overrides the version, for tests of an unsupported broker. */
    static final String OVERRIDE_PROPERTY = "slipstream.test.kafka.version";

    private static final String RESOURCE = "kafka/kafka-version.properties";

    private KafkaVersion() {}

    /** Returns null if there is no Kafka on that class path. */
    static String onClassPath(ClassLoader loader) {
        try (InputStream resource = loader.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(resource);
            return System.getProperty(OVERRIDE_PROPERTY, properties.getProperty("version", "unknown"))
                    .trim();
        } catch (IOException e) {
            return null;
        }
    }
}
