// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A supported release line of stock Kafka brokers. */
public enum BrokerLine {
    KAFKA_4_3("4.3"),
    KAFKA_4_4("4.4");

    /** The newest line. The quickstart and most tests run on it. */
    public static final BrokerLine NEWEST = KAFKA_4_4;

    private final String number;

    BrokerLine(String number) {
        this.number = number;
    }

    public String number() {
        return number;
    }

    public static BrokerLine of(String number) {
        for (BrokerLine line : values()) {
            if (line.number.equals(number)) {
                return line;
            }
        }
        throw new IllegalArgumentException("unknown broker line " + number + "; known: 4.3, 4.4");
    }

    /**
     * Returns the class path of the broker and of Kafka's command-line tools, as the build resolved it from Maven
     * Central.
     */
    public String classPath() {
        Path file = Checkout.brokerClassPathFile(this);
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
