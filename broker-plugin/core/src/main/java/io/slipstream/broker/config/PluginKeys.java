// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import io.slipstream.protocol.tls.TlsDefinition;
import io.slipstream.rdma.DeviceConfig;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigException;

/** Names, defaults and bounds of the {@code slipstream.*} keys, with the text of docs/operations.md. */
public final class PluginKeys {
    public static final String PREFIX = "slipstream.";
    public static final String ENABLED = PREFIX + "enabled";
    public static final String DIRECTORY = PREFIX + "directory";
    public static final String PROVIDER = PREFIX + "provider";
    public static final String RDMA_DEVICE = PREFIX + "rdma.device";
    public static final String RDMA_PORT = PREFIX + "rdma.port";
    public static final String RDMA_GID_INDEX = PREFIX + "rdma.gid.index";
    public static final String RDMA_RETRY_COUNT = PREFIX + "rdma.retry.count";
    public static final String RDMA_RNR_RETRY_COUNT = PREFIX + "rdma.rnr.retry.count";
    public static final String RDMA_ADDRESS = PREFIX + "rdma.address";
    public static final String CONTROL_ADDRESS = PREFIX + "control.address";
    public static final String CONTROL_SECRET = PREFIX + "control.secret";
    public static final String CONTROL_SECRET_FILE = PREFIX + "control.secret.file";
    public static final String CONTROL_USERS = PREFIX + "control.users";
    public static final String CONTROL_SOCKET_MODE = PREFIX + "control.socket.mode";
    public static final String CONTROL_SOCKET_GROUP = PREFIX + "control.socket.group";
    public static final String POLL = PREFIX + "poll";
    public static final String POLL_SPIN_US = PREFIX + "poll.spin.us";
    public static final String READ_WINDOW_BYTES = PREFIX + "read.window.bytes";
    public static final String HANDLER_THREADS = PREFIX + "handler.threads";
    public static final String RING_BYTES = PREFIX + "ring.bytes";
    public static final String RING_CREDITS = PREFIX + "ring.credits";
    public static final String MAX_LINKS = PREFIX + "max.links";
    public static final String MAX_SESSIONS = PREFIX + "max.sessions";
    public static final String SLOTS = PREFIX + "slots";
    public static final String LEASE_MS = PREFIX + "lease.ms";
    public static final String REGISTERED_BYTES = PREFIX + "registered.bytes";
    public static final String REGISTERED_BYTES_PER_PRINCIPAL = PREFIX + "registered.bytes.per.principal";
    public static final String MAX_LINKS_PER_CONNECTION = PREFIX + "max.links.per.connection";
    public static final String MAX_SESSIONS_PER_PRINCIPAL = PREFIX + "max.sessions.per.principal";

    public static final String UNTRUSTED_LISTENERS = PREFIX + "untrusted.listeners";
    public static final String LISTENERS_EXCLUDED = PREFIX + "listeners.excluded";
    public static final String PRINCIPALS_EXCLUDED = PREFIX + "principals.excluded";

    public static final String TOPICS_EXCLUDED = PREFIX + "topics.excluded";

    public static final String METRICS_ADDRESS = PREFIX + "metrics.address";

    private static final int MIN_RING_BYTES = 64 * 1024;
    private static final int MAX_RING_BYTES = 1 << 30;

    /**
     * Kafka's own keys of a TLS server, prefixed with {@code slipstream.control.}. They are not part of
     * {@link #DEFINITION}.
     */
    public static final TlsDefinition CONTROL_TLS = TlsDefinition.ofServer(PREFIX + "control.", "none", "required");

    public static final ConfigDef DEFINITION = new ConfigDef()
            .define(ENABLED, Type.BOOLEAN, true, Importance.HIGH, "Whether proxies may reach this broker by RDMA.")
            .define(
                    DIRECTORY,
                    Type.STRING,
                    "/tmp/slipstream",
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Directory of the control sockets, the same as the proxies' slipstream.directory. It is created"
                            + " if it is missing. It must belong to the broker's user, and be closed to users that"
                            + " slipstream.control.socket.mode does not admit.")
            .define(
                    PROVIDER,
                    Type.STRING,
                    "auto",
                    ValidString.in("auto", "shm", "verbs"),
                    Importance.MEDIUM,
                    "Provider of the data path: verbs for an RDMA device, shm for proxies on this host. auto takes verbs if this host has a"
                            + " device, else shm, and logs why.")
            .define(
                    RDMA_DEVICE,
                    Type.STRING,
                    "",
                    Importance.MEDIUM,
                    "With verbs: name of the device, such as mlx5_0. Empty: the first whose port is active.")
            .define(
                    RDMA_PORT,
                    Type.INT,
                    0,
                    Range.between(0, 255),
                    Importance.LOW,
                    "With verbs: the device's port, from 1. 0: the first active one.")
            .define(
                    RDMA_GID_INDEX,
                    Type.INT,
                    -1,
                    Range.between(-1, 255),
                    Importance.LOW,
                    "With verbs: entry of the port's GID table. -1: the first with an address (RoCE v2, IPv4 before IPv6).")
            .define(
                    RDMA_RETRY_COUNT,
                    Type.INT,
                    DeviceConfig.DEFAULT.retryCount(),
                    Range.between(0, 6),
                    Importance.LOW,
                    "With verbs: transport retries before a proxy is considered dead.")
            .define(
                    RDMA_RNR_RETRY_COUNT,
                    Type.INT,
                    DeviceConfig.DEFAULT.rnrRetryCount(),
                    Range.between(0, 6),
                    Importance.LOW,
                    "With verbs: retries while a proxy has no receive posted.")
            .define(
                    RDMA_ADDRESS,
                    Type.STRING,
                    "",
                    new HostPort.Validator(),
                    Importance.MEDIUM,
                    "With verbs: HOST:PORT on which queue pairs are connected. Empty: the device's own address and any free port.")
            .define(
                    CONTROL_ADDRESS,
                    Type.STRING,
                    null,
                    new HostPort.Validator(),
                    Importance.MEDIUM,
                    "HOST:PORT of the TCP control channel. Default: 127.0.0.1:9494 with verbs, none with shm; empty:"
                            + " none. An address that is not loopback is opened only with a secret, or with"
                            + " slipstream.control.ssl.client.auth=required.")
            .define(
                    CONTROL_SECRET,
                    Type.PASSWORD,
                    null,
                    Importance.MEDIUM,
                    "Random secret of at least 16 characters that proxies and broker prove to each other over TCP;"
                            + " the same as the proxies' rdma.control.secret. It is never sent.")
            .define(
                    CONTROL_SECRET_FILE,
                    Type.STRING,
                    "",
                    Importance.MEDIUM,
                    "File that contains the secret, instead of slipstream.control.secret. It is read when the broker"
                            + " starts.")
            .define(
                    CONTROL_USERS,
                    Type.LIST,
                    List.of(),
                    ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                    Importance.MEDIUM,
                    "Users, by name or number, whose proxies may connect over the sockets, besides the broker's own"
                            + " user and root. The socket's mode must admit them, see slipstream.control.socket.mode.")
            .define(
                    CONTROL_SOCKET_MODE,
                    Type.STRING,
                    "rw-------",
                    new SocketMode(),
                    Importance.MEDIUM,
                    "Mode of the sockets. If it lets other users write, slipstream.directory may let them enter.")
            .define(
                    CONTROL_SOCKET_GROUP,
                    Type.STRING,
                    "",
                    Importance.LOW,
                    "Group of the sockets and their directory, by name or number. Empty: the broker's own.")
            .define(
                    POLL,
                    Type.STRING,
                    "adaptive",
                    ValidString.in("busy", "adaptive", "event"),
                    Importance.LOW,
                    "How handler threads wait for requests. busy: polls all the time while a proxy is connected,"
                            + " which takes a core for each thread. event: sleeps at once. adaptive: spins briefly"
                            + " before it sleeps, while wake-ups come that soon.")
            .define(
                    POLL_SPIN_US,
                    Type.INT,
                    20,
                    Range.between(0, 10_000),
                    Importance.LOW,
                    "With adaptive: the longest spin before sleeping, in microseconds.")
            .define(
                    HANDLER_THREADS,
                    Type.INT,
                    2,
                    Range.between(1, 256),
                    Importance.MEDIUM,
                    "Number of handler threads for requests that arrive by RDMA. A link belongs to one of them.")
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
                    "Largest number of unanswered requests of a link.")
            .define(
                    MAX_LINKS,
                    Type.INT,
                    64,
                    Range.between(1, 4096),
                    Importance.LOW,
                    "Largest number of links; a proxy opens one for each of its event loops.")
            .define(
                    MAX_LINKS_PER_CONNECTION,
                    Type.INT,
                    32,
                    Range.between(1, 4096),
                    Importance.LOW,
                    "Largest number of links of one proxy.")
            .define(
                    MAX_SESSIONS,
                    Type.INT,
                    4096,
                    Range.between(1, 1_000_000),
                    Importance.LOW,
                    "Largest number of client connections that are bound at a time.")
            .define(
                    MAX_SESSIONS_PER_PRINCIPAL,
                    Type.INT,
                    0,
                    Range.between(0, 1_000_000),
                    Importance.LOW,
                    "Largest number of bound client connections of one principal; 0: no such bound. On listeners"
                            + " without authentication all clients have one principal.")
            .define(
                    SLOTS,
                    Type.INT,
                    1024,
                    Range.between(1, 65536),
                    Importance.LOW,
                    "Largest number of partitions that one link can read at a time.")
            .define(
                    LEASE_MS,
                    Type.INT,
                    3000,
                    Range.between(100, 60_000),
                    Importance.LOW,
                    "Longest time that a proxy trusts slots without a new heartbeat.")
            .define(
                    REGISTERED_BYTES,
                    Type.LONG,
                    64L << 30,
                    Range.atLeast(0),
                    Importance.MEDIUM,
                    "Largest number of bytes of log segments that are registered for reading at a time. With verbs"
                            + " they are pinned in memory.")
            .define(
                    REGISTERED_BYTES_PER_PRINCIPAL,
                    Type.LONG,
                    0L,
                    Range.atLeast(0),
                    Importance.LOW,
                    "Largest number of registered bytes for consumers of one principal; 0: no such bound. Even"
                            + " without it, a principal with more than an equal part gives back when another finds no"
                            + " room.")
            .define(
                    READ_WINDOW_BYTES,
                    Type.INT,
                    8 * 1024 * 1024,
                    Range.between(64 * 1024, 1 << 30),
                    Importance.LOW,
                    "With verbs: bytes of a segment that are registered at once, from the consumer's position. A"
                            + " larger batch gets as much as it needs.")
            .define(
                    UNTRUSTED_LISTENERS,
                    Type.STRING,
                    null,
                    Importance.HIGH,
                    "Listeners whose proxies must not be able to change a request while the broker reads it: names"
                            + " separated by commas, or * for all. The broker copies requests of such proxies to its"
                            + " own memory before it reads them. Default: * with verbs, none with shm, where a proxy"
                            + " is a process of the broker's user.")
            .define(
                    LISTENERS_EXCLUDED,
                    Type.STRING,
                    "",
                    Importance.MEDIUM,
                    "Listeners whose clients use TCP only: names separated by commas, or * for all.")
            .define(
                    PRINCIPALS_EXCLUDED,
                    Type.STRING,
                    "",
                    new PrincipalSet.Validator(),
                    Importance.MEDIUM,
                    "Principals that use TCP only, separated by semicolons, such as User:alice;User:CN=app,O=Example.")
            .define(
                    TOPICS_EXCLUDED,
                    Type.STRING,
                    "",
                    new TopicSet.Validator(),
                    Importance.MEDIUM,
                    "Topics that use TCP only: names separated by commas; a * at the end of a name matches any rest."
                            + " A client connection that writes to one of them writes over TCP from then on.")
            .define(
                    METRICS_ADDRESS,
                    Type.STRING,
                    "",
                    new HostPort.Validator(),
                    Importance.MEDIUM,
                    "HOST:PORT of the plugin's Prometheus page, /metrics. Empty: none; the meters are in the broker's"
                            + " JMX in any case. Every process that reaches the port can read them. Give each broker"
                            + " of a host its own port.");

    private PluginKeys() {}

    private record SocketMode() implements ConfigDef.Validator {
        private static final Pattern SYNTAX = Pattern.compile("rw-(---|rw-)(---|rw-)");

        @Override
        public void ensureValid(String name, Object value) {
            if (!SYNTAX.matcher((String) value).matches()) {
                throw new ConfigException(name, value, "must be " + this);
            }
        }

        @Override
        public String toString() {
            return "rw-------, rw-rw----, rw----rw- or rw-rw-rw-";
        }
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
