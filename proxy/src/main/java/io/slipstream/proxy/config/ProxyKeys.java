package io.slipstream.proxy.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;

/** Every key of the proxy's configuration with its default, its legal values and its documentation. */
public final class ProxyKeys {
    public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    public static final String LISTEN_HOST = "listen.host";
    public static final String LISTEN_PORT = "listen.port";
    public static final String BROKER_PORT_BASE = "broker.port.base";
    public static final String ADVERTISED_HOST = "advertised.host";
    public static final String MANAGEMENT_HOST = "management.host";
    public static final String MANAGEMENT_PORT = "management.port";
    public static final String RDMA_ENABLED = "rdma.enabled";
    public static final String RDMA_PROVIDER = "rdma.provider";
    public static final String DIRECTORY = "slipstream.directory";
    public static final String MAX_FRAME_BYTES = "max.frame.bytes";
    public static final String MAX_RESPONSE_BYTES = "max.response.bytes";
    public static final String MAX_IN_FLIGHT = "max.in.flight.requests";
    public static final String EVENT_LOOPS = "event.loops";
    public static final String CONNECT_TIMEOUT_MS = "upstream.connect.timeout.ms";
    public static final String KEEP_ALIVE_MS = "upstream.keep.alive.ms";
    public static final String CLIENT_IDLE_MS = "client.idle.timeout.ms";
    public static final String METADATA_REFRESH_MS = "metadata.refresh.ms";
    public static final String BROKER_EXPIRY_MS = "broker.expiry.ms";
    public static final String DRAIN_TIMEOUT_MS = "drain.timeout.ms";

    /** Where plugin and proxy meet if neither is told otherwise; the broker plugin has the same default. */
    public static final String DEFAULT_DIRECTORY = "/tmp/slipstream";

    /** {@link #BROKER_PORT_BASE} not given: the port after the bootstrap port. */
    static final int BROKER_PORT_BASE_FOLLOWS = -1;

    private static final int MAX_PORT = 65535;
    private static final int MIB = 1 << 20;

    static final ConfigDef DEFINITION = new ConfigDef()
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
                    Importance.MEDIUM,
                    "Host that clients are told to connect to for each broker. Default: listen.host.")
            .define(
                    MANAGEMENT_HOST,
                    Type.STRING,
                    "127.0.0.1",
                    new ConfigDef.NonEmptyString(),
                    Importance.MEDIUM,
                    "Address of /metrics, /livez, /readyz and /rdma.")
            .define(
                    MANAGEMENT_PORT,
                    Type.INT,
                    9091,
                    between(0, MAX_PORT),
                    Importance.MEDIUM,
                    "Port of /metrics, /livez, /readyz and /rdma; 0 takes a free one.")
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
                    ValidString.in("auto", "shm", "tcp"),
                    Importance.MEDIUM,
                    "shm: brokers on this host, by shared memory. tcp: never RDMA. auto: the best that the host offers.")
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
                    EVENT_LOOPS,
                    Type.INT,
                    0,
                    between(0, 256),
                    Importance.LOW,
                    "Event loop threads; 0 means one for each processor, at most 4. Each has its own link to each broker.")
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
                    "On SIGTERM: how long requests in flight may take before their connections are closed.");

    private ProxyKeys() {}
}
