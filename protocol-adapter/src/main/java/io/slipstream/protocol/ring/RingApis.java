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
    public static final String FEATURE = "ring-apis-2";

    /** Largest request of an API that is {@link #SMALL}. */
    private static final int SMALL_BYTES = 8 << 10;

    /** Clients send it so often that it is worth to bind a connection. Others use the ring of a bound connection. */
    private static final int OPENS = 1;
    /** A broker may carry it out twice without a client noticing. */
    private static final int REPEATABLE = 2;
    /** It waits for other members of a group, for minutes. */
    private static final int WAITS = 4;
    /** Not repeatable, and its answer may be many times larger. So only small requests use the ring. */
    private static final int SMALL = 8;

    private static final Entry[] BY_KEY = new Entry[128];

    static {
        add(0, 3, 13, 9, OPENS); // Produce
        add(2, 1, 11, 6, OPENS | REPEATABLE); // ListOffsets
        add(3, 0, 13, 9, REPEATABLE); // Metadata
        add(8, 2, 10, 8, OPENS); // OffsetCommit
        add(9, 1, 10, 6, OPENS | REPEATABLE); // OffsetFetch
        add(10, 0, 6, 3, REPEATABLE); // FindCoordinator
        add(11, 4, 9, 6, OPENS | REPEATABLE | WAITS); // JoinGroup; members of older versions have no id to ask twice
        add(12, 0, 4, 4, OPENS); // Heartbeat
        add(13, 0, 5, 4, OPENS); // LeaveGroup
        add(14, 0, 5, 4, OPENS | REPEATABLE | WAITS); // SyncGroup
        add(15, 0, 6, 5, REPEATABLE); // DescribeGroups
        add(16, 0, 5, 3, REPEATABLE); // ListGroups
        add(19, 2, 7, 5, SMALL); // CreateTopics
        add(20, 1, 6, 4, SMALL); // DeleteTopics
        add(21, 0, 2, 2, SMALL); // DeleteRecords
        add(22, 0, 5, 2, OPENS); // InitProducerId
        add(23, 2, 4, 4, OPENS | REPEATABLE); // OffsetForLeaderEpoch
        add(24, 0, 3, 3, OPENS); // AddPartitionsToTxn; newer versions are for brokers
        add(25, 0, 4, 3, OPENS); // AddOffsetsToTxn
        add(26, 0, 5, 3, OPENS); // EndTxn
        add(28, 0, 6, 3, OPENS); // TxnOffsetCommit
        add(29, 1, 3, 2, REPEATABLE); // DescribeAcls
        add(30, 1, 3, 2, SMALL); // CreateAcls
        add(32, 1, 4, 4, REPEATABLE); // DescribeConfigs
        add(33, 0, 2, 2, SMALL); // AlterConfigs
        add(34, 1, 2, 2, SMALL); // AlterReplicaLogDirs
        add(35, 1, 5, 2, REPEATABLE); // DescribeLogDirs
        add(37, 0, 3, 2, SMALL); // CreatePartitions
        add(38, 1, 3, 2, SMALL); // CreateDelegationToken
        add(39, 1, 2, 2, SMALL); // RenewDelegationToken
        add(40, 1, 2, 2, SMALL); // ExpireDelegationToken
        add(41, 1, 3, 2, REPEATABLE); // DescribeDelegationToken
        add(42, 0, 3, 2, SMALL); // DeleteGroups
        add(44, 0, 1, 1, SMALL); // IncrementalAlterConfigs
        add(45, 0, 1, 0, SMALL); // AlterPartitionReassignments
        add(46, 0, 0, 0, REPEATABLE); // ListPartitionReassignments
        add(47, 0, 0, 1, SMALL); // OffsetDelete
        add(48, 0, 1, 1, REPEATABLE); // DescribeClientQuotas
        add(49, 0, 1, 1, SMALL); // AlterClientQuotas
        add(50, 0, 0, 0, REPEATABLE); // DescribeUserScramCredentials
        add(51, 0, 0, 0, SMALL); // AlterUserScramCredentials
        add(60, 0, 2, 0, REPEATABLE); // DescribeCluster
        add(61, 0, 0, 0, REPEATABLE); // DescribeProducers
        add(64, 0, 0, 0, SMALL); // UnregisterBroker
        add(65, 0, 0, 0, REPEATABLE); // DescribeTransactions
        add(66, 0, 2, 0, REPEATABLE); // ListTransactions
        add(68, 0, 1, 0, OPENS); // ConsumerGroupHeartbeat
        add(69, 0, 1, 0, REPEATABLE); // ConsumerGroupDescribe
        add(71, 0, 0, 0, REPEATABLE); // GetTelemetrySubscriptions
        add(72, 0, 0, 0, 0); // PushTelemetry
        add(74, 0, 1, 0, REPEATABLE); // ListConfigResources
        add(75, 0, 0, 0, REPEATABLE); // DescribeTopicPartitions
        add(76, 1, 1, 1, OPENS); // ShareGroupHeartbeat
        add(77, 1, 1, 1, REPEATABLE); // ShareGroupDescribe
        add(80, 0, 1, 0, SMALL); // AddRaftVoter
        add(81, 0, 0, 0, SMALL); // RemoveRaftVoter
        add(88, 0, 1, 0, OPENS); // StreamsGroupHeartbeat
        add(89, 0, 1, 0, REPEATABLE); // StreamsGroupDescribe
        add(90, 0, 1, 0, REPEATABLE); // DescribeShareGroupOffsets
        add(91, 0, 0, 0, SMALL); // AlterShareGroupOffsets
        add(92, 0, 0, 0, SMALL); // DeleteShareGroupOffsets
        add(93, 0, 0, 0, SMALL); // StreamsGroupTopologyDescriptionUpdate
        add(94, 0, 0, 0, SMALL); // UnregisterController
    }

    private RingApis() {}

    /** @param flexible the first version whose request header has tagged fields */
    private record Entry(int oldest, int newest, int flexible, int properties) {}

    private static void add(int apiKey, int oldest, int newest, int flexible, int properties) {
        BY_KEY[apiKey] = new Entry(oldest, newest, flexible, properties);
    }

    public static boolean carries(short apiKey, short version) {
        Entry entry = apiKey >= 0 && apiKey < BY_KEY.length ? BY_KEY[apiKey] : null;
        return entry != null && version >= entry.oldest && version <= entry.newest;
    }

    /** Whether the header of a carried request has tagged fields. */
    public static boolean isFlexible(short apiKey, short version) {
        return version >= BY_KEY[apiKey].flexible;
    }

    /** Whether a carried request is a reason to bind its connection. */
    public static boolean opens(short apiKey) {
        return is(apiKey, OPENS);
    }

    /** Whether a carried request may be sent again over TCP after its answer was too large for the ring. */
    public static boolean isRepeatable(short apiKey) {
        return is(apiKey, REPEATABLE);
    }

    /** Whether the answer to a carried request may take minutes. */
    public static boolean waits(short apiKey) {
        return is(apiKey, WAITS);
    }

    /** Whether a carried request of that size takes TCP, because its answer may be too large for the ring. */
    public static boolean isTooLarge(short apiKey, int sizeBytes) {
        return sizeBytes > SMALL_BYTES && is(apiKey, SMALL);
    }

    private static boolean is(short apiKey, int property) {
        return (BY_KEY[apiKey].properties & property) != 0;
    }
}
