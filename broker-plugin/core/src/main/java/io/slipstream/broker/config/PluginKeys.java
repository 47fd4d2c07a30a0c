// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import io.slipstream.protocol.config.KeyDefinitions;
import io.slipstream.protocol.config.PowerOfTwo;
import io.slipstream.protocol.control.DefaultDirectory;
import io.slipstream.protocol.tls.TlsDefinition;
import io.slipstream.rdma.DeviceConfig;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;

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
    public static final String MAX_LINKS_PER_CONNECTION = PREFIX + "max.links.per.connection";
    public static final String MAX_SESSIONS_PER_PRINCIPAL = PREFIX + "max.sessions.per.principal";

    public static final String LISTENERS_EXCLUDED = PREFIX + "listeners.excluded";
    public static final String PRINCIPALS_EXCLUDED = PREFIX + "principals.excluded";

    public static final String TOPICS_EXCLUDED = PREFIX + "topics.excluded";

    public static final String REPLICATION = PREFIX + "replication";
    public static final String METRICS_ADDRESS = PREFIX + "metrics.address";

    private static final int MIN_RING_BYTES = 64 * 1024;
    private static final int MAX_RING_BYTES = 1 << 30;

    /**
     * Kafka's own keys of a TLS server, prefixed with {@code slipstream.control.}. They are not part of
     * {@link #DEFINITION}.
     */
    public static final TlsDefinition CONTROL_TLS = TlsDefinition.ofServer(PREFIX + "control.", "none", "required");

    public static final ConfigDef DEFINITION = new KeyDefinitions()
            .flag(ENABLED, true)
            .high("Whether proxies may reach this broker by RDMA.")
            .text(DIRECTORY, DefaultDirectory.PATH.toString(), new ConfigDef.NonEmptyString())
            .high("Directory of the control sockets, the same as the proxies' slipstream.directory. It is created"
                    + " if it is missing. It must belong to the broker's user, and be closed to users that"
                    + " slipstream.control.socket.mode does not admit. If another user owns the default one, the broker"
                    + " makes /tmp/slipstream-... instead.")
            .text(PROVIDER, "auto", ValidString.in("auto", "shm", "verbs"))
            .medium(
                    "Provider of the data path: verbs for an RDMA device, shm for proxies on this host. auto takes verbs if this host has a"
                            + " device, else shm, and logs why.")
            .text(RDMA_DEVICE, "")
            .medium("With verbs: name of the device, such as mlx5_0. Empty: the first whose port is active.")
            .number(RDMA_PORT, 0, 0, 255)
            .low("With verbs: the device's port, from 1. 0: the first active one.")
            .number(RDMA_GID_INDEX, -1, -1, 255)
            .low(
                    "With verbs: entry of the port's GID table. -1: the first with an address (RoCE v2, IPv4 before IPv6).")
            .number(RDMA_RETRY_COUNT, DeviceConfig.DEFAULT.retryCount(), 0, 6)
            .low("With verbs: transport retries before a proxy is considered dead.")
            .number(RDMA_RNR_RETRY_COUNT, DeviceConfig.DEFAULT.rnrRetryCount(), 0, 6)
            .low("With verbs: retries while a proxy has no receive posted.")
            .text(RDMA_ADDRESS, "", HostPort.VALIDATOR)
            .medium(
                    "With verbs: HOST:PORT on which queue pairs are connected. Empty: the device's own address and any free port.")
            .text(CONTROL_ADDRESS, null, HostPort.VALIDATOR)
            .medium("HOST:PORT of the TCP control channel. Default: 127.0.0.1:9494 with verbs, none with shm; empty:"
                    + " none. An address that is not loopback is opened only with a secret, or with"
                    + " slipstream.control.ssl.client.auth=required.")
            .key(CONTROL_SECRET, Type.PASSWORD, null, null)
            .medium("Random secret of at least 16 characters that proxies and broker prove to each other over TCP;"
                    + " the same as the proxies' rdma.control.secret. It is never sent.")
            .text(CONTROL_SECRET_FILE, "")
            .medium("File that contains the secret, instead of slipstream.control.secret. It is read when the broker"
                    + " starts.")
            .key(CONTROL_USERS, Type.LIST, List.of(), ConfigDef.ValidList.anyNonDuplicateValues(true, false))
            .medium("Users, by name or number, whose proxies may connect over the sockets, besides the broker's own"
                    + " user and root. The socket's mode must admit them, see slipstream.control.socket.mode.")
            .text(CONTROL_SOCKET_MODE, "rw-------", ValidString.in("rw-------", "rw-rw----", "rw----rw-", "rw-rw-rw-"))
            .medium("Mode of the sockets. If it lets other users write, slipstream.directory may let them enter.")
            .text(CONTROL_SOCKET_GROUP, "")
            .low("Group of the sockets and their directory, by name or number. Empty: the broker's own.")
            .number(POLL_SPIN_US, 20, 0, 10_000)
            .low("Longest spin of a handler thread before it sleeps, in microseconds, while wake-ups come that soon;"
                    + " 0: it sleeps at once.")
            .number(HANDLER_THREADS, 2, 1, 256)
            .medium(
                    "Number of handler threads for requests that arrive by RDMA. A link belongs to one of them; with fewer"
                            + " than four processors, to the first that has room. Each has num.io.threads others"
                            + " behind it, which take its place while a request hangs in the broker.")
            .key(RING_BYTES, Type.INT, 8 * 1024 * 1024, new PowerOfTwo(MIN_RING_BYTES, MAX_RING_BYTES))
            .medium("Bytes of a link's request ring, a power of two. Larger requests take TCP.")
            .number(RING_CREDITS, 256, 1, 16384)
            .low(
                    "Largest number of requests of a link that the broker has not handled. Eight times as many may wait for"
                            + " their answers.")
            .number(MAX_LINKS, 64, 1, 4096)
            .low("Largest number of proxies with a link. All proxies together may have a quarter as many further links"
                    + " (or 32, if that is more), but fewer than proxies; a proxy opens them while an event loop"
                    + " of it is saturated.")
            .number(MAX_LINKS_PER_CONNECTION, 32, 1, 4096)
            .low("Largest number of links of one proxy.")
            .number(MAX_SESSIONS, 4096, 1, 1_000_000)
            .low("Largest number of client connections that are bound at a time.")
            .number(MAX_SESSIONS_PER_PRINCIPAL, 0, 0, 1_000_000)
            .low("Largest number of bound client connections of one principal; 0: no such bound. On listeners"
                    + " without authentication all clients have one principal.")
            .number(SLOTS, 1024, 1, 65536)
            .low("Largest number of partitions that one link can read at a time.")
            .number(LEASE_MS, 3000, 100, 60_000)
            .low("Longest time that a proxy trusts slots without a new heartbeat.")
            .key(REGISTERED_BYTES, Type.LONG, 64L << 30, Range.atLeast(0))
            .medium("Largest number of bytes of log segments that are registered for reading at a time. With verbs"
                    + " they are pinned in memory. With shm nothing is pinned, and each segment of a link counts as"
                    + " 4 KiB. One proxy gets at most 16 times what it leaves free.")
            .number(READ_WINDOW_BYTES, 8 * 1024 * 1024, 64 * 1024, 1 << 30)
            .low("With verbs: bytes of a segment that are registered at once, from the consumer's position. A"
                    + " larger batch gets as much as it needs.")
            .text(LISTENERS_EXCLUDED, "")
            .medium("Listeners whose clients use TCP only: names separated by commas, or * for all.")
            .text(PRINCIPALS_EXCLUDED, "", Exclusions.PRINCIPALS)
            .medium("Principals that use TCP only, separated by semicolons, such as User:alice;User:CN=app,O=Example.")
            .text(TOPICS_EXCLUDED, "", TopicSet.VALIDATOR)
            .medium("Topics that use TCP only: names separated by commas; a * at the end of a name matches any rest."
                    + " A client connection that writes to one of them writes over TCP from then on.")
            .text(REPLICATION, "off", ValidString.in("auto", "off"))
            .medium("auto: followers fetch by RDMA from leaders whose plugin this broker reaches. off: over TCP.")
            .text(METRICS_ADDRESS, "", HostPort.VALIDATOR)
            .medium("HOST:PORT of the plugin's Prometheus page, /metrics. Empty: none; the meters are in the broker's"
                    + " JMX in any case. Every process that reaches the port can read them. Give each broker"
                    + " of a host its own port.")
            .definition;

    private PluginKeys() {}
}
