// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.internal.PlatformDependent;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.protocol.config.KeyDefinitions;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.LocalPeers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.Utils;

/** The proxy's validated configuration. Immutable; {@link ProxyKeys} has the keys and their documentation. */
public final class ProxyConfig extends AbstractConfig {
    private static final int MAX_DEFAULT_LOOPS = 4;
    /** Brokers from 1 to this id exist in most clusters. Others are known only when a broker lists them. */
    private static final int LIKELY_NODE_IDS = 5;

    /** Unresolved: each connection resolves the names again. */
    public final List<InetSocketAddress> bootstrapServers;

    public final Path directory;
    /** Null if the known brokers are not kept. */
    public final Path brokersFile;
    /** Kafka's {@code ssl.*} values for connections to brokers; null without TLS. */
    public final Map<String, Object> brokerTls;
    /** Kafka's {@code ssl.*} values for clients' connections, from {@code listen.ssl.*}; null without TLS. */
    public final Map<String, Object> clientTls;
    /**
     * Kafka's {@code ssl.*} values for control connections over TCP, from {@code rdma.control.ssl.*}; null without TLS.
     */
    public final Map<String, Object> pluginTls;
    /** Given keys that have no effect any more. */
    public final List<String> retiredKeys;

    private final ControlSecret controlSecret;
    private final LocalPeers controlUsers;
    /** The given TLS keys, for output. */
    private final Map<String, Object> tlsGiven = new TreeMap<>();
    /** Source of each given key. */
    private final Map<String, String> origins;

    private ProxyConfig(Map<String, ?> settings, Map<String, String> origins) {
        super(ProxyKeys.DEFINITION, settings, false);
        this.origins = Map.copyOf(origins);
        this.retiredKeys = settings.keySet().stream()
                .filter(ProxyKeys.RETIRED::contains)
                .sorted()
                .toList();
        this.bootstrapServers = parse(getList(ProxyKeys.BOOTSTRAP_SERVERS));
        this.directory = KeyDefinitions.path(ProxyKeys.DIRECTORY, getString(ProxyKeys.DIRECTORY));
        this.brokersFile = brokersFile();
        this.controlSecret = KeyDefinitions.secret(
                ProxyKeys.RDMA_CONTROL_SECRET,
                getPassword(ProxyKeys.RDMA_CONTROL_SECRET),
                ProxyKeys.RDMA_CONTROL_SECRET_FILE,
                getString(ProxyKeys.RDMA_CONTROL_SECRET_FILE));
        this.controlUsers = controlUsers();
        checkPorts();
        checkAdvertisedHost();
        if (getLong(ProxyKeys.MAX_OUTBOUND_BYTES) > PlatformDependent.maxDirectMemory() / 2) {
            throw new ConfigException(
                    ProxyKeys.MAX_OUTBOUND_BYTES,
                    getLong(ProxyKeys.MAX_OUTBOUND_BYTES),
                    "is more than half of the JVM's direct memory of " + PlatformDependent.maxDirectMemory()
                            + " bytes (-XX:MaxDirectMemorySize)");
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
            tlsGiven.putAll(keys.definition.describe(settings));
        }
    }

    /** @throws ConfigException naming the key, for a value that is missing, unknown or out of range */
    public static ProxyConfig of(Map<String, ?> settings) {
        return of(settings, Map.of());
    }

    /** @param origins by key, a description of the source of its value */
    static ProxyConfig of(Map<String, ?> settings, Map<String, String> origins) {
        UnknownKeys.refuse(settings.keySet(), keys());
        return new ProxyConfig(settings, origins);
    }

    /** Names of all accepted keys. */
    static Set<String> keys() {
        Set<String> all = new HashSet<>(ProxyKeys.DEFINITION.names());
        all.addAll(ProxyKeys.RETIRED);
        for (TlsKeys keys : TlsKeys.values()) {
            all.addAll(keys.definition.names());
        }
        return all;
    }

    private void checkPorts() {
        int base = brokerPortBase();
        if (base > ProxyKeys.MAX_PORT) {
            throw new ConfigException(
                    ProxyKeys.LISTEN_PORT,
                    getInt(ProxyKeys.LISTEN_PORT),
                    "leaves no port above it: set " + ProxyKeys.BROKER_PORT_BASE);
        }
        for (String key : List.of(ProxyKeys.LISTEN_PORT, ProxyKeys.MANAGEMENT_PORT)) {
            int nodeId = getInt(key) - base;
            if (base != 0 && nodeId > 0 && nodeId <= LIKELY_NODE_IDS) {
                throw new ConfigException(
                        ProxyKeys.BROKER_PORT_BASE, base, "gives broker " + nodeId + " the port of " + key);
            }
        }
    }

    private void checkAdvertisedHost() {
        String host = advertisedHost();
        InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
        if (literal != null && literal.isAnyLocalAddress()) {
            throw new ConfigException(
                    ProxyKeys.ADVERTISED_HOST,
                    getString(ProxyKeys.ADVERTISED_HOST),
                    "must be set, because clients cannot connect to " + host + "; " + ProxyKeys.OWN_ADDRESS
                            + " gives each client the address to which it connected");
        }
    }

    /** 0 if brokers are served on free ports. */
    public int brokerPortBase() {
        int base = getInt(ProxyKeys.BROKER_PORT_BASE);
        if (base != ProxyKeys.BROKER_PORT_BASE_FOLLOWS) {
            return base;
        }
        return getInt(ProxyKeys.LISTEN_PORT) == 0 ? 0 : getInt(ProxyKeys.LISTEN_PORT) + 1;
    }

    /** Whether each client is told the address to which it connected. */
    public boolean advertisesOwnAddress() {
        return advertisedHost().equals(ProxyKeys.OWN_ADDRESS);
    }

    public String advertisedHost() {
        String host = getString(ProxyKeys.ADVERTISED_HOST);
        return host == null ? getString(ProxyKeys.LISTEN_HOST) : host;
    }

    /** The protocol of the brokers' listener. */
    public SecurityProtocol securityProtocol() {
        return protocol(ProxyKeys.SECURITY_PROTOCOL);
    }

    /** Whether brokers require SASL on every connection, which the proxy itself cannot do. */
    public boolean brokersAskForSasl() {
        return isSasl(securityProtocol());
    }

    private SecurityProtocol protocol(String key) {
        return SecurityProtocol.forName(getString(key));
    }

    private static boolean isTls(SecurityProtocol protocol) {
        return protocol == SecurityProtocol.SSL || protocol == SecurityProtocol.SASL_SSL;
    }

    private static boolean isSasl(SecurityProtocol protocol) {
        return protocol == SecurityProtocol.SASL_PLAINTEXT || protocol == SecurityProtocol.SASL_SSL;
    }

    public DeviceConfig rdmaDevice() {
        return new DeviceConfig(
                getString(ProxyKeys.RDMA_DEVICE),
                getInt(ProxyKeys.RDMA_PORT),
                getInt(ProxyKeys.RDMA_GID_INDEX),
                getInt(ProxyKeys.RDMA_RETRY_COUNT),
                getInt(ProxyKeys.RDMA_RNR_RETRY_COUNT),
                controlUsers);
    }

    /** @param tls TLS towards plugins; null: none */
    public ControlPorts rdmaControlPorts(Function<InetSocketAddress, SslHandler> tls) {
        return new ControlPorts(
                getInt(ProxyKeys.RDMA_CONTROL_PORT),
                PortOfNode.parse(getList(ProxyKeys.RDMA_CONTROL_PORTS)),
                controlSecret,
                tls);
    }

    private LocalPeers controlUsers() {
        List<String> users = getList(ProxyKeys.RDMA_CONTROL_USERS);
        try {
            return LocalPeers.of(users, "rw-------", "");
        } catch (IllegalArgumentException e) {
            throw new ConfigException(ProxyKeys.RDMA_CONTROL_USERS, users, e.getMessage());
        }
    }

    /** 0 without RDMA: over TCP the broker takes longer to answer than a processor takes to wake. */
    public long eventLoopSpinNs() {
        return getBoolean(ProxyKeys.RDMA_ENABLED)
                ? TimeUnit.MICROSECONDS.toNanos(getInt(ProxyKeys.EVENT_LOOPS_SPIN_US))
                : 0;
    }

    /** With TLS an answer is in memory twice while it is encrypted, so the default leaves as much again. */
    public long maxOutboundBytes() {
        long givenBytes = getLong(ProxyKeys.MAX_OUTBOUND_BYTES);
        return givenBytes > 0 ? givenBytes : PlatformDependent.maxDirectMemory() / 5 * 2;
    }

    public int eventLoops() {
        int loops = getInt(ProxyKeys.EVENT_LOOPS);
        return loops > 0 ? loops : Math.min(Runtime.getRuntime().availableProcessors(), MAX_DEFAULT_LOOPS);
    }

    public boolean logsJson() {
        return getString(ProxyKeys.LOG_FORMAT).equals("json");
    }

    public String logLevel() {
        return getString(ProxyKeys.LOG_LEVEL).toUpperCase(Locale.ROOT);
    }

    /** Keys whose values differ from the defaults, sorted, each with its value and source; secrets are hidden. */
    public List<String> changed() {
        Map<String, Object> changed = new TreeMap<>(tlsGiven);
        ProxyKeys.DEFINITION.configKeys().values().forEach(key -> {
            Object value = values().get(key.name);
            if (!Objects.equals(value, key.defaultValue)) {
                changed.put(key.name, value);
            }
        });
        return changed.entrySet().stream()
                .map(entry -> entry.getKey() + '=' + entry.getValue() + "  ("
                        + origins.getOrDefault(entry.getKey(), "set") + ')')
                .toList();
    }

    /** Names of the keys whose values differ, sorted. */
    public Set<String> differences(ProxyConfig other) {
        Set<String> keys = new TreeSet<>(values().keySet());
        keys.addAll(tlsGiven.keySet());
        keys.addAll(other.tlsGiven.keySet());
        keys.removeIf(key -> Objects.equals(values().get(key), other.values().get(key))
                && Objects.equals(tlsGiven.get(key), other.tlsGiven.get(key)));
        return keys;
    }

    /** Every key with its value, sorted, one per line; of Kafka's own keys only the given ones. */
    public String describe() {
        StringBuilder lines = new StringBuilder();
        Map<String, Object> all = new TreeMap<>(values());
        all.putAll(tlsGiven);
        all.forEach((key, value) ->
                lines.append(key).append('=').append(value == null ? "" : value).append('\n'));
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

    private Path brokersFile() {
        String value = getString(ProxyKeys.BROKERS_FILE);
        if (value == null) {
            return null;
        }
        Path file = KeyDefinitions.path(ProxyKeys.BROKERS_FILE, value).toAbsolutePath();
        if (Files.isDirectory(file)) {
            throw new ConfigException(ProxyKeys.BROKERS_FILE, value, "is a directory");
        } else if (!Files.isDirectory(file.getParent())) {
            throw new ConfigException(ProxyKeys.BROKERS_FILE, value, "is in a directory that does not exist");
        }
        return file;
    }
}
