// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.slipstream.rdma.DeviceConfig;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;

/** All configuration keys of the proxy with defaults, legal values and documentation. */
public final class ProxyKeys {
    public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    public static final String LISTEN_HOST = "listen.host";
    public static final String LISTEN_PORT = "listen.port";
    public static final String BROKER_PORT_BASE = "broker.port.base";
    public static final String ADVERTISED_HOST = "advertised.host";
    public static final String MANAGEMENT_HOST = "management.host";
    public static final String MANAGEMENT_PORT = "management.port";
    public static final String SECURITY_PROTOCOL = "security.protocol";
    public static final String LISTEN_SECURITY_PROTOCOL = "listen.security.protocol";
    public static final String TLS_HANDSHAKE_TIMEOUT_MS = "tls.handshake.timeout.ms";
    public static final String RDMA_ENABLED = "rdma.enabled";
    public static final String RDMA_PROVIDER = "rdma.provider";
    public static final String RDMA_DEVICE = "rdma.device";
    public static final String RDMA_PORT = "rdma.port";
    public static final String RDMA_GID_INDEX = "rdma.gid.index";
    public static final String RDMA_RETRY_COUNT = "rdma.retry.count";
    public static final String RDMA_RNR_RETRY_COUNT = "rdma.rnr.retry.count";
    public static final String RDMA_POLL = "rdma.poll";
    public static final String RDMA_READ_MEMORY_BYTES = "rdma.read.memory.bytes";
    public static final String RDMA_CONTROL_PORT = "rdma.control.port";
    public static final String RDMA_CONTROL_PORTS = "rdma.control.ports";
    public static final String RDMA_CONTROL_SECRET = "rdma.control.secret";
    public static final String RDMA_CONTROL_SECRET_FILE = "rdma.control.secret.file";
    public static final String RDMA_CONTROL_SECURITY_PROTOCOL = "rdma.control.security.protocol";
    public static final String RDMA_CONTROL_USERS = "rdma.control.users";
    public static final String RDMA_CONTROL_TIMEOUT_MS = "rdma.control.timeout.ms";
    public static final String DIRECTORY = "slipstream.directory";
    public static final String MAX_FRAME_BYTES = "max.frame.bytes";
    public static final String MAX_RESPONSE_BYTES = "max.response.bytes";
    public static final String MAX_IN_FLIGHT = "max.in.flight.requests";
    public static final String MAX_CONNECTIONS = "max.connections";
    public static final String EVENT_LOOPS = "event.loops";
    public static final String EVENT_LOOPS_SPIN_US = "event.loops.spin.us";
    public static final String CONNECT_TIMEOUT_MS = "upstream.connect.timeout.ms";
    public static final String KEEP_ALIVE_MS = "upstream.keep.alive.ms";
    public static final String CLIENT_IDLE_MS = "client.idle.timeout.ms";
    public static final String METADATA_REFRESH_MS = "metadata.refresh.ms";
    public static final String BROKER_EXPIRY_MS = "broker.expiry.ms";
    public static final String LOG_FORMAT = "log.format";
    public static final String LOG_LEVEL = "log.level";
    public static final String DRAIN_TIMEOUT_MS = "drain.timeout.ms";

    /** Default directory of the control sockets; the broker plugin has the same default. */
    public static final String DEFAULT_DIRECTORY = "/tmp/slipstream";

    /** Default of {@link #BROKER_PORT_BASE}: the port after the bootstrap port. */
    static final int BROKER_PORT_BASE_FOLLOWS = -1;

    static final int MAX_PORT = 65535;
    private static final int MIB = 1 << 20;
    private static final ValidString SECURITY_PROTOCOLS =
            ValidString.in("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    public static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    BOOTSTRAP_SERVERS,
                    Type.LIST,
                    ConfigDef.NO_DEFAULT_VALUE,
                    ConfigDef.ValidList.anyNonDuplicateValues(false, false),
                    Importance.HIGH,
                    "Brokers to start from, as host:port, separated by commas.")
            .define(
                    LISTEN_HOST,
                    Type.STRING,
                    "127.0.0.1",
                    new ConfigDef.NonEmptyString(),
                    Importance.HIGH,
                    "Address on which clients are served. Whoever reaches it reaches the brokers; keep it on loopback unless you mean to share it.")
            .define(
                    LISTEN_PORT,
                    Type.INT,
                    9092,
                    between(0, MAX_PORT),
                    Importance.HIGH,
                    "Port that clients name in bootstrap.servers; 0 takes a free one.")
            .define(
                    BROKER_PORT_BASE,
                    Type.INT,
                    BROKER_PORT_BASE_FOLLOWS,
                    between(-1, MAX_PORT),
                    Importance.HIGH,
                    "Each broker is served on this port plus its node id; 0 takes free ports, -1 means listen.port + 1 (free ports if listen.port is 0).")
            .define(
                    ADVERTISED_HOST,
                    Type.STRING,
                    null,
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Host that clients are told to connect to for each broker. Default: listen.host.")
            .define(
                    MANAGEMENT_HOST,
                    Type.STRING,
                    "127.0.0.1",
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Address of the management port.")
            .define(
                    MANAGEMENT_PORT,
                    Type.INT,
                    9091,
                    between(0, MAX_PORT),
                    Importance.MEDIUM,
                    "Port of /metrics, /livez, /readyz and what else operators look at and switch; 0 takes a free one.")
            .define(
                    SECURITY_PROTOCOL,
                    Type.STRING,
                    "PLAINTEXT",
                    SECURITY_PROTOCOLS,
                    Importance.HIGH,
                    "What the brokers' listener at bootstrap.servers speaks. TLS is spoken by the proxy, with Kafka's own ssl.* keys; SASL is spoken by the clients, whose bytes pass through.")
            .define(
                    LISTEN_SECURITY_PROTOCOL,
                    Type.STRING,
                    "PLAINTEXT",
                    SECURITY_PROTOCOLS,
                    Importance.HIGH,
                    "What clients speak to the proxy: SSL or SASL_SSL for TLS, with Kafka's own keys as listen.ssl.*. Whether they use SASL is up to the brokers' listener.")
            .define(
                    TLS_HANDSHAKE_TIMEOUT_MS,
                    Type.INT,
                    10_000,
                    between(100, 600_000),
                    Importance.LOW,
                    "Deadline of a TLS handshake, with a client or a broker; then the connection is closed.")
            .define(
                    RDMA_ENABLED,
                    Type.BOOLEAN,
                    true,
                    Importance.HIGH,
                    "Whether Produce and Fetch may go by RDMA. Can be switched at run time: PUT /rdma?enabled=true|false on the management port.")
            .define(
                    RDMA_PROVIDER,
                    Type.STRING,
                    "auto",
                    ValidString.in("auto", "shm", "verbs", "tcp"),
                    Importance.MEDIUM,
                    "verbs: an RDMA device (InfiniBand, RoCE, Soft-RoCE). shm: brokers on this host, by shared memory. tcp: never RDMA. auto: what a broker's plugin offers, if it can be used here, else TCP.")
            .define(
                    RDMA_DEVICE,
                    Type.STRING,
                    null,
                    Importance.MEDIUM,
                    "Name of the RDMA device for verbs, such as mlx5_0 or rxe0. Default: the first with an active port.")
            .define(
                    RDMA_PORT,
                    Type.INT,
                    0,
                    between(0, 255),
                    Importance.LOW,
                    "Port of the RDMA device, from 1; 0 takes the first active one.")
            .define(
                    RDMA_GID_INDEX,
                    Type.INT,
                    -1,
                    between(-1, 65535),
                    Importance.LOW,
                    "Entry of the port's GID table that names the local address; -1 takes the first that has one (RoCE v2, IPv4 before IPv6).")
            .define(
                    RDMA_RETRY_COUNT,
                    Type.INT,
                    DeviceConfig.DEFAULT.retryCount(),
                    between(0, 6),
                    Importance.LOW,
                    "Transport retries of an RDMA device before a broker counts as dead.")
            .define(
                    RDMA_RNR_RETRY_COUNT,
                    Type.INT,
                    DeviceConfig.DEFAULT.rnrRetryCount(),
                    between(0, 6),
                    Importance.LOW,
                    "Retries of an RDMA device while the broker has no receive posted.")
            .define(
                    RDMA_POLL,
                    Type.STRING,
                    "adaptive",
                    ValidString.in("busy", "adaptive", "event"),
                    Importance.MEDIUM,
                    "How an event loop awaits completions. event: sleeps until the device wakes it. adaptive: polls up to 20 us for reads and writes under way before it sleeps, for as long as that pays. busy: never sleeps while a read, a write or a reply to a Produce is awaited, and so takes a whole processor then; waiting for new records to arrive does not count.")
            .define(
                    RDMA_READ_MEMORY_BYTES,
                    Type.INT,
                    64 * MIB,
                    new PowerOfTwo(MIB, 1024 * MIB),
                    Importance.MEDIUM,
                    "Registered memory into which an event loop reads records and from which they go to clients, per event loop; taken with verbs only. An answer holds at most a quarter of it, but for a single batch that is longer; a Fetch that finds none left takes TCP.")
            .define(
                    RDMA_CONTROL_PORT,
                    Type.INT,
                    9494,
                    between(0, MAX_PORT),
                    Importance.MEDIUM,
                    "Where a broker's plugin listens on the broker's advertised host, for brokers without a socket in slipstream.directory; 0 never looks.")
            .define(
                    RDMA_CONTROL_PORTS,
                    Type.LIST,
                    List.of(),
                    new PortOfNode(),
                    Importance.LOW,
                    "The same for single brokers, as NODE_ID:PORT, separated by commas; needed for several brokers on one host.")
            .define(
                    RDMA_CONTROL_SECRET,
                    Type.PASSWORD,
                    null,
                    Importance.MEDIUM,
                    "Secret that the proxy and brokers' plugins prove to each other over TCP; the brokers' slipstream.control.secret. It is never sent. A plugin"
                            + " that does not prove it is not used.")
            .define(
                    RDMA_CONTROL_SECRET_FILE,
                    Type.STRING,
                    null,
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "File that holds the secret instead. Read when the proxy starts.")
            .define(
                    RDMA_CONTROL_SECURITY_PROTOCOL,
                    Type.STRING,
                    "PLAINTEXT",
                    ConfigDef.ValidString.in("PLAINTEXT", "SSL"),
                    Importance.MEDIUM,
                    "What is spoken over TCP with brokers' plugins: SSL, with Kafka's own keys as rdma.control.ssl.*, where the brokers have"
                            + " slipstream.control.ssl.keystore.*. A plugin that speaks the other is not used.")
            .define(
                    RDMA_CONTROL_USERS,
                    Type.LIST,
                    List.of(),
                    ConfigDef.ValidList.anyNonDuplicateValues(true, false),
                    Importance.MEDIUM,
                    "Users, by name or number, as which brokers on this host run, besides the proxy's own and root: sockets in slipstream.directory that"
                            + " belong to anybody else's process are not used.")
            .define(
                    RDMA_CONTROL_TIMEOUT_MS,
                    Type.INT,
                    5_000,
                    between(100, 600_000),
                    Importance.LOW,
                    "Deadline of a plugin's answers, and of setting a link up. A client's request waits at most a twentieth of it for the link, a fifth for its session, a tenth for its offsets and as long for room in the ring, then it takes TCP.")
            .define(
                    DIRECTORY,
                    Type.STRING,
                    DEFAULT_DIRECTORY,
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Where brokers' plugins put their control sockets; the same value as in the broker's slipstream.directory.")
            .define(
                    MAX_FRAME_BYTES,
                    Type.INT,
                    100 * MIB,
                    atLeast(1024),
                    Importance.MEDIUM,
                    "Largest request frame; a client that announces a larger one is disconnected. Brokers' socket.request.max.bytes has the same default.")
            .define(
                    MAX_RESPONSE_BYTES,
                    Type.INT,
                    1024 * MIB,
                    atLeast(1024),
                    Importance.LOW,
                    "Largest response frame taken from a broker.")
            .define(
                    MAX_IN_FLIGHT,
                    Type.INT,
                    1024,
                    between(1, 1 << 16),
                    Importance.LOW,
                    "Most unanswered requests of one client connection; its socket is not read beyond that.")
            .define(
                    MAX_CONNECTIONS,
                    Type.INT,
                    10_000,
                    between(1, 1_000_000),
                    Importance.MEDIUM,
                    "Most client connections; one more is closed at once. Each has a connection of its own to its broker, so the process needs twice as many file descriptors.")
            .define(
                    EVENT_LOOPS,
                    Type.INT,
                    0,
                    between(0, 256),
                    Importance.LOW,
                    "Event loop threads; 0 means one for each processor, at most 4. Each has its own link to each broker.")
            .define(
                    EVENT_LOOPS_SPIN_US,
                    Type.INT,
                    50,
                    between(0, 10_000),
                    Importance.LOW,
                    "With rdma.enabled: how long an event loop at most looks for the next request before it sleeps, in microseconds, for as long as that pays; 0 to sleep at once.")
            .define(
                    CONNECT_TIMEOUT_MS,
                    Type.INT,
                    10_000,
                    between(1, 600_000),
                    Importance.LOW,
                    "Deadline for connecting to a broker.")
            .define(
                    KEEP_ALIVE_MS,
                    Type.INT,
                    60_000,
                    between(100, 3_600_000),
                    Importance.LOW,
                    "How long a client's connection to its broker may be silent while the client's requests go by RDMA, before a small request keeps it open. Keep it below the brokers' connections.max.idle.ms.")
            .define(
                    CLIENT_IDLE_MS,
                    Type.INT,
                    660_000,
                    between(1_000, 86_400_000),
                    Importance.LOW,
                    "A client connection without any traffic for so long is closed. The default lets the brokers' own connections.max.idle.ms come first.")
            .define(
                    METADATA_REFRESH_MS,
                    Type.INT,
                    30_000,
                    between(100, 3_600_000),
                    Importance.LOW,
                    "How often the proxy asks for the list of brokers itself.")
            .define(
                    BROKER_EXPIRY_MS,
                    Type.INT,
                    90_000,
                    between(100, 86_400_000),
                    Importance.LOW,
                    "A broker that no list of brokers has named for so long loses its port, and its clients their connections.")
            .define(
                    DRAIN_TIMEOUT_MS,
                    Type.INT,
                    10_000,
                    between(0, 3_600_000),
                    Importance.MEDIUM,
                    "On SIGTERM: how long requests in flight may take before their connections are closed. The process ends at most 5 s later.")
            .define(
                    LOG_FORMAT,
                    Type.STRING,
                    "plain",
                    ValidString.in("plain", "json"),
                    Importance.LOW,
                    "How the log on standard error is written: plain text, or one JSON object a line.")
            .define(
                    LOG_LEVEL,
                    Type.STRING,
                    "INFO",
                    new LogLevel(),
                    Importance.LOW,
                    "What of Slipstream's own is logged; DEBUG shows ordinary disconnects, too. Can be changed at run time: PUT /log on the management port.");

    /** Keys of the previous release. They are accepted with a warning and ignored; the next release refuses them. */
    static final Set<String> RETIRED = Set.of("rdma.landing.after.requests");

    private ProxyKeys() {}
}
