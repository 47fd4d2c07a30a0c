package io.slipstream.broker.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;

/** The {@code slipstream.*} keys of the broker's own {@code server.properties}. */
public record PluginConfig(
        boolean enabled,
        Path directory,
        String provider,
        int handlerThreads,
        int ringBytes,
        int ringCredits,
        int maxLinks,
        int maxSessions,
        int slots,
        int leaseMs,
        long registeredBytes) {
    public static final String PREFIX = "slipstream.";
    public static final String ENABLED = PREFIX + "enabled";
    public static final String DIRECTORY = PREFIX + "directory";
    public static final String PROVIDER = PREFIX + "provider";
    public static final String HANDLER_THREADS = PREFIX + "handler.threads";
    public static final String RING_BYTES = PREFIX + "ring.bytes";
    public static final String RING_CREDITS = PREFIX + "ring.credits";
    public static final String MAX_LINKS = PREFIX + "max.links";
    public static final String MAX_SESSIONS = PREFIX + "max.sessions";
    public static final String SLOTS = PREFIX + "slots";
    public static final String LEASE_MS = PREFIX + "lease.ms";
    public static final String REGISTERED_BYTES = PREFIX + "registered.bytes";

    private static final int MIN_RING_BYTES = 64 * 1024;
    private static final int MAX_RING_BYTES = 1 << 30;

    public static final ConfigDef DEFINITION = new ConfigDef()
            .define(ENABLED, Type.BOOLEAN, true, Importance.HIGH, "Whether proxies may use this broker by RDMA.")
            .define(
                    DIRECTORY,
                    Type.STRING,
                    "/tmp/slipstream",
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Directory of the control sockets, the same one as the proxies'. Made with mode 0700 if it is missing; must"
                            + " belong to the broker's user and be closed to others.")
            .define(
                    PROVIDER,
                    Type.STRING,
                    "auto",
                    ValidString.in("auto", "shm"),
                    Importance.MEDIUM,
                    "Provider of the data path. auto takes the best that this host has.")
            .define(
                    HANDLER_THREADS,
                    Type.INT,
                    2,
                    Range.between(1, 256),
                    Importance.MEDIUM,
                    "Request handler threads for requests that land by RDMA. A link belongs to one of them.")
            .define(
                    RING_BYTES,
                    Type.INT,
                    8 * 1024 * 1024,
                    new PowerOfTwo(MIN_RING_BYTES, MAX_RING_BYTES),
                    Importance.MEDIUM,
                    "Bytes of a link's request ring, a power of two. Larger requests take TCP.")
            .define(
                    RING_CREDITS,
                    Type.INT,
                    256,
                    Range.between(1, 16384),
                    Importance.LOW,
                    "Most requests of a link that are unanswered at a time.")
            .define(
                    MAX_LINKS,
                    Type.INT,
                    64,
                    Range.between(1, 4096),
                    Importance.LOW,
                    "Most links; a proxy opens one for each of its event loops.")
            .define(
                    MAX_SESSIONS,
                    Type.INT,
                    4096,
                    Range.between(1, 1_000_000),
                    Importance.LOW,
                    "Most client connections bound at a time.")
            .define(
                    SLOTS,
                    Type.INT,
                    1024,
                    Range.between(1, 65536),
                    Importance.LOW,
                    "Partitions that one link can read at a time.")
            .define(
                    LEASE_MS,
                    Type.INT,
                    3000,
                    Range.between(100, 60_000),
                    Importance.LOW,
                    "How long a proxy trusts slots whose heartbeat stands still.")
            .define(
                    REGISTERED_BYTES,
                    Type.LONG,
                    64L << 30,
                    Range.atLeast(0),
                    Importance.MEDIUM,
                    "Most bytes of log segments that are registered for reading at a time.");

    /**
     * Reads the plugin's keys out of all the broker's settings. Throws ConfigException, naming the key, on an unknown
     * {@code slipstream.*} key or a value that is not allowed.
     */
    public static PluginConfig of(Map<String, ?> brokerOriginals) {
        Set<String> unknown = new TreeSet<>();
        for (String key : brokerOriginals.keySet()) {
            if (key.startsWith(PREFIX) && !DEFINITION.names().contains(key)) {
                unknown.add(key);
            }
        }
        if (!unknown.isEmpty()) {
            throw new ConfigException("unknown key " + String.join(", ", unknown) + "; known are "
                    + String.join(", ", new TreeSet<>(DEFINITION.names())));
        }
        Map<String, Object> values = DEFINITION.parse(brokerOriginals);
        return new PluginConfig(
                (Boolean) values.get(ENABLED),
                Path.of((String) values.get(DIRECTORY)),
                (String) values.get(PROVIDER),
                (Integer) values.get(HANDLER_THREADS),
                (Integer) values.get(RING_BYTES),
                (Integer) values.get(RING_CREDITS),
                (Integer) values.get(MAX_LINKS),
                (Integer) values.get(MAX_SESSIONS),
                (Integer) values.get(SLOTS),
                (Integer) values.get(LEASE_MS),
                (Long) values.get(REGISTERED_BYTES));
    }

    private record PowerOfTwo(int min, int max) implements ConfigDef.Validator {
        @Override
        public void ensureValid(String name, Object value) {
            int bytes = (Integer) value;
            if (bytes < min || bytes > max || Integer.bitCount(bytes) != 1) {
                throw new ConfigException(name, value, "must be a power of two from " + min + " to " + max);
            }
        }

        @Override
        public String toString() {
            return "a power of two from " + min + " to " + max;
        }
    }
}
