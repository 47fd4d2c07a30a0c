// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stock Kafka to start brokers from.
 *
 * @param classPath class path of the broker and of Kafka's command-line tools
 */
public record KafkaDistribution(BrokerLine line, String classPath) {
    private static final String HOME = "KAFKA_HOME";
    private static final Pattern SERVER_JAR = Pattern.compile("kafka_2\\.1\\d-(\\d+\\.\\d+)\\..*\\.jar");

    /**
     * Returns the unpacked distribution in {@code given}, else in {@code KAFKA_HOME}, else the one that the checkout's
     * build resolved from Maven Central.
     *
     * @param given directory named by the user, or null
     */
    public static KafkaDistribution find(Path given) {
        String home = System.getenv(HOME);
        if (given != null) {
            return unpackedIn(given);
        }
        if (home != null && !home.isBlank()) {
            return unpackedIn(Path.of(home));
        }
        if (Checkout.isThere()) {
            return of(BrokerLine.NEWEST);
        }
        throw new StartFailure(
                "no Kafka found; pass the directory of an unpacked Kafka distribution (4.3 or 4.4) with --kafka DIR or "
                        + HOME);
    }

    /** Returns the distribution that the checkout's build resolved from Maven Central. */
    static KafkaDistribution of(BrokerLine line) {
        return new KafkaDistribution(line, line.classPath());
    }

    static KafkaDistribution unpackedIn(Path directory) {
        Path libs = directory.toAbsolutePath().resolve("libs");
        String version = versionIn(libs);
        BrokerLine line = Arrays.stream(BrokerLine.values())
                .filter(known -> known.number().equals(version))
                .findFirst()
                .orElseThrow(() -> new StartFailure(directory + " is Kafka " + version + "; use 4.3 or 4.4"));
        return new KafkaDistribution(line, libs + "/*");
    }

    private static String versionIn(Path libs) {
        if (Files.isDirectory(libs)) {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(libs, "kafka_2.1*.jar")) {
                for (Path jar : jars) {
                    Matcher name = SERVER_JAR.matcher(jar.getFileName().toString());
                    if (name.matches()) {
                        return name.group(1);
                    }
                }
            } catch (IOException e) {
                throw new StartFailure("cannot read " + libs + ": " + e.getMessage());
            }
        }
        throw new StartFailure(
                libs.getParent() + " is not an unpacked Kafka distribution: it has no libs/kafka_2.13-VERSION.jar");
    }
}
