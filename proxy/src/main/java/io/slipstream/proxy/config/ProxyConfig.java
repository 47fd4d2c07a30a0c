// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.ControlTls;
import io.slipstream.link.settings.PollMode;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.LocalPeers;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Utils;

/** The proxy's validated configuration. Immutable; {@link ProxyKeys} has the keys and their documentation. */
public final class ProxyConfig {
    private static final int MAX_DEFAULT_LOOPS = 4;

    private final AbstractConfig values;
    private final List<InetSocketAddress> bootstrapServers;
    private final Path directory;
    private final ControlSecret controlSecret;
    private final LocalPeers controlUsers;
    private final Map<String, Object> brokerTls;
    private final Map<String, Object> clientTls;
    private final Map<String, Object> pluginTls;
    /** The given TLS keys, for output. */
    private final Map<String, Object> tlsGiven = new TreeMap<>();
    /** Source of each given key. */
    private final Map<String, String> origins;

    private final List<String> retiredKeys;

    private ProxyConfig(AbstractConfig values, Map<String, ?> settings, Map<String, String> origins) {
        this.values = values;
        this.origins = Map.copyOf(origins);
        this.retiredKeys = settings.keySet().stream()
                .filter(ProxyKeys.RETIRED::contains)
                .sorted()
                .toList();
        this.bootstrapServers = parse(values.getList(ProxyKeys.BOOTSTRAP_SERVERS));
        this.directory = path(ProxyKeys.DIRECTORY, values.getString(ProxyKeys.DIRECTORY));
        this.controlSecret = controlSecret(values);
        this.controlUsers = controlUsers(values);
        if (brokerPortBase() > ProxyKeys.MAX_PORT) {
            throw new ConfigException(
                    ProxyKeys.LISTEN_PORT, listenPort(), "leaves no port above it: set " + ProxyKeys.BROKER_PORT_BASE);
        }
        SecurityProtocol listen = protocol(ProxyKeys.LISTEN_SECURITY_PROTOCOL);
        if (isSasl(listen) && !isSasl(securityProtocol())) {
            throw new ConfigException(
                    ProxyKeys.LISTEN_SECURITY_PROTOCOL,
                    listen,
                    "clients' SASL passes through to the brokers, and " + ProxyKeys.SECURITY_PROTOCOL + " is "
                            + securityProtocol());
        }
        brokerTls = TlsKeys.BROKERS.parse(settings, isTls(securityProtocol()));
        clientTls = TlsKeys.CLIENTS.parse(settings, isTls(listen));
        pluginTls = TlsKeys.PLUGINS.parse(settings, isTls(protocol(ProxyKeys.RDMA_CONTROL_SECURITY_PROTOCOL)));
        for (TlsKeys keys : TlsKeys.values()) {
            tlsGiven.putAll(keys.describe(settings));
        }
    }

    /** @throws ConfigException naming the key, for a value that is missing, unknown or out of range */
    public static ProxyConfig of(Map<String, ?> settings) {
        return of(settings, Map.of());
    }

    /** @param origins by key, a description of the source of its value */
    static ProxyConfig of(Map<String, ?> settings, Map<String, String> origins) {
        UnknownKeys.refuse(settings.keySet(), keys());
        return new ProxyConfig(new AbstractConfig(ProxyKeys.DEFINITION, settings, false), settings, origins);
    }

    /** Names of all accepted keys. */
    static Set<String> keys() {
        Set<String> all = new HashSet<>(ProxyKeys.DEFINITION.names());
        all.addAll(ProxyKeys.RETIRED);
        for (TlsKeys keys : TlsKeys.values()) {
            all.addAll(keys.names());
        }
        return all;
    }

    /** Given keys that have no effect any more. */
    public List<String> retiredKeys() {
        return retiredKeys;
    }

    /** Unresolved: each connection resolves the names again. */
    public List<InetSocketAddress> bootstrapServers() {
        return bootstrapServers;
    }

    public String listenHost() {
        return values.getString(ProxyKeys.LISTEN_HOST);
    }

    public int listenPort() {
        return values.getInt(ProxyKeys.LISTEN_PORT);
    }

    /** 0 if brokers are served on free ports. */
    public int brokerPortBase() {
        int base = values.getInt(ProxyKeys.BROKER_PORT_BASE);
        if (base != ProxyKeys.BROKER_PORT_BASE_FOLLOWS) {
            return base;
        }
        return listenPort() == 0 ? 0 : listenPort() + 1;
    }

    public String advertisedHost() {
        String host = values.getString(ProxyKeys.ADVERTISED_HOST);
        return host == null ? listenHost() : host;
    }

    public String managementHost() {
        return values.getString(ProxyKeys.MANAGEMENT_HOST);
    }

    public int managementPort() {
        return values.getInt(ProxyKeys.MANAGEMENT_PORT);
    }

    /** The protocol of the brokers' listener. */
    public SecurityProtocol securityProtocol() {
        return protocol(ProxyKeys.SECURITY_PROTOCOL);
    }

    /** Whether brokers require SASL on every connection, which the proxy itself cannot do. */
    public boolean brokersAskForSasl() {
        return isSasl(securityProtocol());
    }

    /** Kafka's {@code ssl.*} values for connections to brokers; null without TLS. */
    public Map<String, Object> brokerTls() {
        return brokerTls;
    }

    /** Kafka's {@code ssl.*} values for clients' connections, from {@code listen.ssl.*}; null without TLS. */
    public Map<String, Object> clientTls() {
        return clientTls;
    }

    /**
     * Kafka's {@code ssl.*} values for control connections over TCP, from {@code rdma.control.ssl.*}; null without TLS.
     */
    public Map<String, Object> pluginTls() {
        return pluginTls;
    }

    public int tlsHandshakeTimeoutMs() {
        return values.getInt(ProxyKeys.TLS_HANDSHAKE_TIMEOUT_MS);
    }

    private SecurityProtocol protocol(String key) {
        return SecurityProtocol.forName(values.getString(key));
    }

    private static boolean isTls(SecurityProtocol protocol) {
        return protocol == SecurityProtocol.SSL || protocol == SecurityProtocol.SASL_SSL;
    }

    private static boolean isSasl(SecurityProtocol protocol) {
        return protocol == SecurityProtocol.SASL_PLAINTEXT || protocol == SecurityProtocol.SASL_SSL;
    }

    public boolean rdmaEnabled() {
        return values.getBoolean(ProxyKeys.RDMA_ENABLED);
    }

    /** {@code auto}, {@code shm}, {@code verbs} or {@code tcp}. */
    public String rdmaProvider() {
        return values.getString(ProxyKeys.RDMA_PROVIDER);
    }

    public DeviceConfig rdmaDevice() {
        return new DeviceConfig(
                values.getString(ProxyKeys.RDMA_DEVICE),
                values.getInt(ProxyKeys.RDMA_PORT),
                values.getInt(ProxyKeys.RDMA_GID_INDEX),
                values.getInt(ProxyKeys.RDMA_RETRY_COUNT),
                values.getInt(ProxyKeys.RDMA_RNR_RETRY_COUNT),
                controlUsers);
    }

    public PollMode rdmaPoll() {
        return PollMode.valueOf(values.getString(ProxyKeys.RDMA_POLL).toUpperCase(Locale.ROOT));
    }

    /** Per event loop; a power of two. */
    public int rdmaReadMemoryBytes() {
        return values.getInt(ProxyKeys.RDMA_READ_MEMORY_BYTES);
    }

    /** @param tls TLS towards plugins; null: none */
    public ControlPorts rdmaControlPorts(ControlTls tls) {
        return new ControlPorts(
                values.getInt(ProxyKeys.RDMA_CONTROL_PORT),
                PortOfNode.parse(values.getList(ProxyKeys.RDMA_CONTROL_PORTS)),
                controlSecret,
                tls);
    }

    private static ControlSecret controlSecret(AbstractConfig values) {
        Password given = values.getPassword(ProxyKeys.RDMA_CONTROL_SECRET);
        String file = values.getString(ProxyKeys.RDMA_CONTROL_SECRET_FILE);
        if (given == null && file == null) {
            return null;
        }
        try {
            if (given != null && file != null) {
                throw new IllegalArgumentException("is set together with " + ProxyKeys.RDMA_CONTROL_SECRET_FILE);
            }
            return given == null
                    ? ControlSecret.read(path(ProxyKeys.RDMA_CONTROL_SECRET_FILE, file))
                    : ControlSecret.of(given.value());
        } catch (IllegalArgumentException e) {
            String key = given == null ? ProxyKeys.RDMA_CONTROL_SECRET_FILE : ProxyKeys.RDMA_CONTROL_SECRET;
            throw new ConfigException(key, given == null ? file : Password.HIDDEN, e.getMessage());
        }
    }

    private static LocalPeers controlUsers(AbstractConfig values) {
        List<String> users = values.getList(ProxyKeys.RDMA_CONTROL_USERS);
        try {
            return LocalPeers.of(users, "rw-------", "");
        } catch (IllegalArgumentException e) {
            throw new ConfigException(ProxyKeys.RDMA_CONTROL_USERS, users, e.getMessage());
        }
    }

    public int rdmaControlTimeoutMs() {
        return values.getInt(ProxyKeys.RDMA_CONTROL_TIMEOUT_MS);
    }

    public Path directory() {
        return directory;
    }

    public int maxFrameBytes() {
        return values.getInt(ProxyKeys.MAX_FRAME_BYTES);
    }

    public int maxResponseBytes() {
        return values.getInt(ProxyKeys.MAX_RESPONSE_BYTES);
    }

    public int maxInFlight() {
        return values.getInt(ProxyKeys.MAX_IN_FLIGHT);
    }

    /** 0 without RDMA: over TCP the broker takes longer to answer than a processor takes to wake. */
    public long eventLoopSpinNs() {
        return rdmaEnabled() ? TimeUnit.MICROSECONDS.toNanos(values.getInt(ProxyKeys.EVENT_LOOPS_SPIN_US)) : 0;
    }

    public int eventLoops() {
        int loops = values.getInt(ProxyKeys.EVENT_LOOPS);
        return loops > 0 ? loops : Math.min(Runtime.getRuntime().availableProcessors(), MAX_DEFAULT_LOOPS);
    }

    public int connectTimeoutMs() {
        return values.getInt(ProxyKeys.CONNECT_TIMEOUT_MS);
    }

    public int keepAliveMs() {
        return values.getInt(ProxyKeys.KEEP_ALIVE_MS);
    }

    public int maxConnections() {
        return values.getInt(ProxyKeys.MAX_CONNECTIONS);
    }

    public int clientIdleMs() {
        return values.getInt(ProxyKeys.CLIENT_IDLE_MS);
    }

    public int metadataRefreshMs() {
        return values.getInt(ProxyKeys.METADATA_REFRESH_MS);
    }

    public int brokerExpiryMs() {
        return values.getInt(ProxyKeys.BROKER_EXPIRY_MS);
    }

    public int drainTimeoutMs() {
        return values.getInt(ProxyKeys.DRAIN_TIMEOUT_MS);
    }

    public boolean logsJson() {
        return values.getString(ProxyKeys.LOG_FORMAT).equals("json");
    }

    public String logLevel() {
        return values.getString(ProxyKeys.LOG_LEVEL).toUpperCase(Locale.ROOT);
    }

    /** Keys whose values differ from the defaults, sorted, each with its value and source; secrets are hidden. */
    public List<String> changed() {
        Map<String, Object> changed = new TreeMap<>(tlsGiven);
        ProxyKeys.DEFINITION.configKeys().values().forEach(key -> {
            Object value = values.values().get(key.name);
            if (!Objects.equals(value, key.defaultValue)) {
                changed.put(key.name, value);
            }
        });
        return changed.entrySet().stream()
                .map(entry -> entry.getKey() + '=' + entry.getValue() + "  ("
                        + origins.getOrDefault(entry.getKey(), "set") + ')')
                .toList();
    }

    /** Every key with its value, sorted, one per line; of Kafka's own keys only the given ones. */
    public String describe() {
        StringBuilder lines = new StringBuilder();
        Map<String, Object> all = new TreeMap<>(values.values());
        all.putAll(tlsGiven);
        all.entrySet().stream()
                .forEach(entry -> lines.append(entry.getKey())
                        .append('=')
                        .append(entry.getValue() == null ? "" : entry.getValue())
                        .append('\n'));
        return lines.toString();
    }

    private static List<InetSocketAddress> parse(List<String> servers) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String server : servers) {
            String host = Utils.getHost(server);
            int port = port(server);
            if (host == null || host.isEmpty() || port < 0 || port > ProxyKeys.MAX_PORT) {
                throw new ConfigException(ProxyKeys.BOOTSTRAP_SERVERS, server, "must be host:port");
            }
            addresses.add(InetSocketAddress.createUnresolved(host, port));
        }
        return List.copyOf(addresses);
    }

    /** -1 if there is no port, or an invalid one. */
    private static int port(String server) {
        try {
            Integer port = Utils.getPort(server);
            return port == null ? -1 : port;
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }

    private static Path path(String key, String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new ConfigException(key, value, "is not a path: " + e.getReason());
        }
    }
}
