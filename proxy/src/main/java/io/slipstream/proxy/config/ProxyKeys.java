// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;

import io.slipstream.protocol.config.KeyDefinitions;
import io.slipstream.protocol.config.PowerOfTwo;
import io.slipstream.protocol.control.DefaultDirectory;
import io.slipstream.rdma.DeviceConfig;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.CaseInsensitiveValidString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;

/** All configuration keys of the proxy with defaults, legal values and documentation. */
public final class ProxyKeys {
    public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    public static final String LISTEN_HOST = "listen.host";
    public static final String LISTEN_PORT = "listen.port";
    public static final String LISTEN_REUSE_PORT = "listen.reuse.port";
    public static final String BROKER_PORT_BASE = "broker.port.base";
    public static final String ADVERTISED_HOST = "advertised.host";
    public static final String BROKERS_FILE = "brokers.file";
    public static final String MANAGEMENT_HOST = "management.host";
    public static final String MANAGEMENT_PORT = "management.port";
    public static final String MANAGEMENT_NAMES = "management.names";
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
    public static final String MAX_OUTBOUND_BYTES = "max.outbound.bytes";
    public static final String MAX_IN_FLIGHT = "max.in.flight.requests";
    public static final String MAX_CONNECTIONS = "max.connections";
    public static final String EVENT_LOOPS = "event.loops";
    public static final String EVENT_LOOPS_SPIN_US = "event.loops.spin.us";
    public static final String CONNECT_TIMEOUT_MS = "upstream.connect.timeout.ms";
    public static final String KEEP_ALIVE_MS = "upstream.keep.alive.ms";
    public static final String CLIENT_IDLE_MS = "client.idle.timeout.ms";
    public static final String CLIENT_STALL_MS = "client.stall.timeout.ms";
    public static final String METADATA_REFRESH_MS = "metadata.refresh.ms";
    public static final String BROKER_EXPIRY_MS = "broker.expiry.ms";
    public static final String LOG_FORMAT = "log.format";
    public static final String LOG_LEVEL = "log.level";
    public static final String DRAIN_TIMEOUT_MS = "drain.timeout.ms";

    /** Default of {@link #BROKER_PORT_BASE}: the port after the bootstrap port. */
    static final int BROKER_PORT_BASE_FOLLOWS = -1;

    /** Value of {@link #ADVERTISED_HOST}: the address to which the client connected. */
    static final String OWN_ADDRESS = "*";

    static final int MAX_PORT = 65535;
    private static final int MIB = 1 << 20;
    private static final ValidString SECURITY_PROTOCOLS =
            ValidString.in("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    public static final ConfigDef DEFINITION = new KeyDefinitions()
            .key(
                    BOOTSTRAP_SERVERS,
                    Type.LIST,
                    ConfigDef.NO_DEFAULT_VALUE,
                    ConfigDef.ValidList.anyNonDuplicateValues(false, false))
            .high("Bootstrap brokers, as host:port, separated by commas.")
            .text(LISTEN_HOST, "127.0.0.1", new ConfigDef.NonEmptyString())
            .high("Address on which clients are served. Every process that reaches it reaches the brokers; keep it"
                    + " on loopback unless it should be shared.")
            .number(LISTEN_PORT, 9092, 0, MAX_PORT)
            .high("Port that clients name in bootstrap.servers; 0 takes a free one.")
            .flag(LISTEN_REUSE_PORT, false)
            .low("Whether another proxy of the same user may listen on the same ports (SO_REUSEPORT), so that it can"
                    + " start before this one stops. Both must serve the same cluster: the kernel gives each client to"
                    + " one of them.")
            .number(BROKER_PORT_BASE, BROKER_PORT_BASE_FOLLOWS, -1, MAX_PORT)
            .high("Each broker is served on this port plus its node id; 0 takes free ports, -1 means listen.port + 1"
                    + " (free ports if listen.port is 0). Clients are not told of a broker whose port cannot be"
                    + " opened.")
            .text(ADVERTISED_HOST, null, new ConfigDef.NonEmptyString())
            .medium("Host that clients are told to connect to for each broker. *: the address to which the client"
                    + " itself connected. Default: listen.host, unless that is 0.0.0.0 or ::.")
            .text(BROKERS_FILE, null, new ConfigDef.NonEmptyString())
            .medium("File in which the proxy keeps the brokers that it knows. When it starts again it opens their ports"
                    + " before it is ready, so that clients of before find them. Without it, and with brokers that"
                    + " ask for SASL, a port opens when a client lists the brokers. Its directory must exist.")
            .text(MANAGEMENT_HOST, "127.0.0.1", new ConfigDef.NonEmptyString())
            .medium("Address of the management port.")
            .number(MANAGEMENT_PORT, 9091, 0, MAX_PORT)
            .medium("Port of the management pages, such as /metrics, /livez and /readyz; 0 takes a free one.")
            .key(MANAGEMENT_NAMES, Type.LIST, List.of(), ConfigDef.ValidList.anyNonDuplicateValues(true, false))
            .low("Host names by which requests may address the management port, besides addresses, localhost and"
                    + " management.host, separated by commas; * allows every name, and so pages in browsers.")
            .text(SECURITY_PROTOCOL, "PLAINTEXT", SECURITY_PROTOCOLS)
            .high("Protocol of the brokers' listener at bootstrap.servers. The proxy speaks TLS, with Kafka's own"
                    + " ssl.* keys. Clients speak SASL; the proxy passes it through.")
            .text(LISTEN_SECURITY_PROTOCOL, "PLAINTEXT", SECURITY_PROTOCOLS)
            .high("Protocol between clients and the proxy: SSL or SASL_SSL for TLS, with Kafka's own keys as"
                    + " listen.ssl.*. The brokers' listener decides whether clients use SASL.")
            .number(TLS_HANDSHAKE_TIMEOUT_MS, 10_000, 100, 600_000)
            .low("Deadline of a TLS handshake with a client or a broker. After it the connection is closed.")
            .flag(RDMA_ENABLED, true)
            .high("Whether requests may use RDMA. It can be switched at run time: PUT"
                    + " /rdma?enabled=true|false on the management port.")
            .text(RDMA_PROVIDER, "auto", ValidString.in("auto", "shm", "verbs", "tcp"))
            .medium("verbs: an RDMA device (InfiniBand, RoCE, Soft-RoCE). shm: shared memory, for brokers on this"
                    + " host. tcp: no RDMA. auto: the provider that a broker's plugin offers if this host can"
                    + " use it, else TCP.")
            .text(RDMA_DEVICE, null)
            .medium("Name of the RDMA device for verbs, such as mlx5_0 or rxe0. Default: the first with an active"
                    + " port.")
            .number(RDMA_PORT, 0, 0, 255)
            .low("Port of the RDMA device, from 1; 0 takes the first active one.")
            .number(RDMA_GID_INDEX, -1, -1, 65535)
            .low("Entry of the port's GID table that names the local address; -1 takes the first that has one (RoCE"
                    + " v2, IPv4 before IPv6).")
            .number(RDMA_RETRY_COUNT, DeviceConfig.DEFAULT.retryCount(), 0, 6)
            .low("Transport retries of an RDMA device before a broker is considered dead.")
            .number(RDMA_RNR_RETRY_COUNT, DeviceConfig.DEFAULT.rnrRetryCount(), 0, 6)
            .low("Retries of an RDMA device while the broker has no receive posted.")
            .key(RDMA_READ_MEMORY_BYTES, Type.INT, 64 * MIB, new PowerOfTwo(MIB, 1024 * MIB))
            .medium("Registered memory of each event loop for records that are read by RDMA and sent to clients; used"
                    + " with verbs only. An answer holds at most a quarter of it, or a single batch that is"
                    + " longer. A Fetch that finds none free takes TCP.")
            .number(RDMA_CONTROL_PORT, 9494, 0, MAX_PORT)
            .medium("Port of the plugins' control channel on the brokers' advertised hosts, for brokers without a"
                    + " socket in slipstream.directory; 0 disables it.")
            .key(RDMA_CONTROL_PORTS, Type.LIST, List.of(), new PortOfNode())
            .low("Ports of the control channel for single brokers, as NODE_ID:PORT, separated by commas; needed for"
                    + " several brokers on one host.")
            .key(RDMA_CONTROL_SECRET, Type.PASSWORD, null, null)
            .medium("Secret that the proxy and the brokers' plugins prove to each other over TCP; the same as the"
                    + " brokers' slipstream.control.secret. It is never sent. A plugin that does not prove it"
                    + " is not used.")
            .text(RDMA_CONTROL_SECRET_FILE, null, new ConfigDef.NonEmptyString())
            .medium("File that contains the secret, instead of rdma.control.secret. It is read when the proxy starts.")
            .text(RDMA_CONTROL_SECURITY_PROTOCOL, "PLAINTEXT", ConfigDef.ValidString.in("PLAINTEXT", "SSL"))
            .medium("Protocol of the TCP control channel. SSL, with Kafka's own keys as rdma.control.ssl.*, if the"
                    + " brokers have slipstream.control.ssl.keystore.*. A plugin with the other protocol is"
                    + " not used.")
            .key(RDMA_CONTROL_USERS, Type.LIST, List.of(), ConfigDef.ValidList.anyNonDuplicateValues(true, false))
            .medium("Users of brokers on this host, by name or number, besides the proxy's own user and root. Sockets"
                    + " in slipstream.directory that belong to other users' processes are not used.")
            .number(RDMA_CONTROL_TIMEOUT_MS, 5_000, 100, 600_000)
            .low("Deadline of a plugin's answers and of link set-up. A client's request waits at most a twentieth"
                    + " of it for the link, a fifth for its session, a tenth for its offsets and a tenth for"
                    + " room in the ring. Then it takes TCP.")
            .text(DIRECTORY, DefaultDirectory.PATH.toString(), new ConfigDef.NonEmptyString())
            .medium("Directory of the brokers' control sockets; the same value as the brokers' slipstream.directory."
                    + " With the default, also the directories /tmp/slipstream-... that brokers make if another user"
                    + " owns it.")
            .key(MAX_FRAME_BYTES, Type.INT, 100 * MIB, atLeast(1024))
            .medium("Largest request frame. A client that announces a larger one is disconnected. The brokers'"
                    + " socket.request.max.bytes has the same default.")
            .key(MAX_RESPONSE_BYTES, Type.INT, 1024 * MIB, atLeast(1024))
            .low("Largest response frame taken from a broker.")
            .key(MAX_OUTBOUND_BYTES, Type.LONG, 0L, atLeast(0))
            .medium("Largest number of bytes of answers that the proxy holds until its clients have taken them."
                    + " When they are short, a Fetch gets fewer bytes, and brokers' responses wait. At most half of"
                    + " the JVM's direct memory (-XX:MaxDirectMemorySize); 0 means two fifths of it.")
            .number(MAX_IN_FLIGHT, 1024, 1, 1 << 16)
            .low("Largest number of unanswered requests of a client connection. Then its socket is not read.")
            .number(MAX_CONNECTIONS, 10_000, 1, 1_000_000)
            .medium("Largest number of client connections. Further connections are closed at once. Each client"
                    + " connection has a connection to its broker, so the process needs twice as many file"
                    + " descriptors.")
            .number(EVENT_LOOPS, 0, 0, 256)
            .low("Number of event loop threads; 0 means one for each processor, at most 4. The clients of a"
                    + " broker share one and its link; while it is saturated, new ones are served by another.")
            .number(EVENT_LOOPS_SPIN_US, 50, 0, 10_000)
            .low("With rdma.enabled: longest time that an event loop polls for the next request before it sleeps,"
                    + " in microseconds. It stops polling where that does not pay; 0 disables polling.")
            .number(CONNECT_TIMEOUT_MS, 10_000, 1, 600_000)
            .low("Deadline for connecting to one address of a broker. All addresses of a name are tried.")
            .number(KEEP_ALIVE_MS, 60_000, 100, 3_600_000)
            .low("Longest silence on a client's connection to its broker while the client's requests go by RDMA."
                    + " After it a small request keeps the connection open. Keep it below the brokers'"
                    + " connections.max.idle.ms.")
            .number(CLIENT_IDLE_MS, 660_000, 1_000, 86_400_000)
            .low("Idle time after which a client connection is closed. The default is longer than the brokers'"
                    + " connections.max.idle.ms.")
            .number(CLIENT_STALL_MS, 300_000, 100, 86_400_000)
            .low("Time after which a client is closed that takes nothing while bytes wait for it. The default is"
                    + " that of the clients' max.poll.interval.ms.")
            .number(METADATA_REFRESH_MS, 30_000, 100, 3_600_000)
            .low("Interval at which the proxy itself requests the list of brokers.")
            .number(BROKER_EXPIRY_MS, 90_000, 100, 86_400_000)
            .low("Time after which a broker that no list of brokers names loses its port, and its clients their"
                    + " connections.")
            .number(DRAIN_TIMEOUT_MS, 10_000, 0, 3_600_000)
            .medium("On SIGTERM: longest time for requests in flight before their connections are closed. The process"
                    + " ends at most 5 s later.")
            .text(LOG_FORMAT, "plain", ValidString.in("plain", "json"))
            .low("Format of the log on standard error: plain text, or one JSON object per line.")
            .text(LOG_LEVEL, "INFO", CaseInsensitiveValidString.in("ERROR", "WARN", "INFO", "DEBUG", "TRACE"))
            .low("Log level of Slipstream's own loggers; DEBUG includes ordinary disconnects. It can be changed at"
                    + " run time: PUT /log on the management port.")
            .definition;

    /** Keys of the previous release. They are accepted with a warning and ignored; the next release refuses them. */
    static final Set<String> RETIRED = Set.of("rdma.landing.after.requests", "rdma.poll");

    private ProxyKeys() {}
}
