// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.ring;

/**
 * The requests that may travel in the request ring, by API and version. All others take TCP, and so do versions newer
 * than this table. docs/protocol.md has the reason for each API. A test compares it with Kafka's definitions.
 *
 * <p>Proxy and plugin must have the same table, so a change of it changes {@link #FEATURE}.
 */
public final class RingApis {
    /** Name of this table in the plugin's answer to Hello. A proxy that knows another one sends only Produce. */
    public static final String FEATURE = "ring-apis-1";

    private static final Versions[] BY_KEY = new Versions[128];

    static {
        add(0, 3, 13, 9, false); // Produce
        add(2, 1, 11, 6, true); // ListOffsets
        add(8, 2, 10, 8, false); // OffsetCommit
        add(9, 1, 10, 6, true); // OffsetFetch
        add(12, 0, 4, 4, false); // Heartbeat
        add(13, 0, 5, 4, false); // LeaveGroup
        add(22, 0, 5, 2, false); // InitProducerId
        add(23, 2, 4, 4, true); // OffsetForLeaderEpoch
        add(24, 0, 3, 3, false); // AddPartitionsToTxn; newer versions are for brokers
        add(25, 0, 4, 3, false); // AddOffsetsToTxn
        add(26, 0, 5, 3, false); // EndTxn
        add(28, 0, 6, 3, false); // TxnOffsetCommit
        add(68, 0, 1, 0, false); // ConsumerGroupHeartbeat
        add(76, 1, 1, 0, false); // ShareGroupHeartbeat
    }

    private RingApis() {}

    /**
     * @param flexible the first version whose request header has tagged fields
     * @param readOnly whether a broker may carry the request out twice without a client noticing
     */
    private record Versions(int oldest, int newest, int flexible, boolean readOnly) {}

    private static void add(int apiKey, int oldest, int newest, int flexible, boolean readOnly) {
        BY_KEY[apiKey] = new Versions(oldest, newest, flexible, readOnly);
    }

    public static boolean carries(short apiKey, short version) {
        Versions versions = apiKey >= 0 && apiKey < BY_KEY.length ? BY_KEY[apiKey] : null;
        return versions != null && version >= versions.oldest && version <= versions.newest;
    }

    /** Whether the header of a carried request has tagged fields. */
    public static boolean isFlexible(short apiKey, short version) {
        return version >= BY_KEY[apiKey].flexible;
    }

    /** Whether a carried request may be sent again over TCP after its answer was too large for the ring. */
    public static boolean isReadOnly(short apiKey) {
        return BY_KEY[apiKey].readOnly;
    }
}
