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
    public static final String FEATURE = "ring-apis-4";

    /** Clients send it so often that it is worth to bind a connection. Others use the ring of a bound connection. */
    private static final int OPENS = 1;
    /** It waits for records, or for other members of a group, for minutes. */
    private static final int WAITS = 2;
    /** Only followers send it in a ring. */
    private static final int BROKERS = 4;

    private static final Entry[] BY_KEY = new Entry[128];

    static {
        add(0, 3, 13, 9, OPENS); // Produce
        add(1, 12, 18, 12, WAITS | BROKERS); // Fetch of followers; clients read by themselves
        add(2, 1, 11, 6, OPENS); // ListOffsets
        add(3, 0, 13, 9); // Metadata
        add(8, 2, 10, 8, OPENS); // OffsetCommit
        add(9, 1, 10, 6, OPENS); // OffsetFetch
        add(10, 0, 6, 3); // FindCoordinator
        add(11, 0, 9, 6, OPENS | WAITS); // JoinGroup
        add(12, 0, 4, 4, OPENS); // Heartbeat
        add(13, 0, 5, 4, OPENS); // LeaveGroup
        add(14, 0, 5, 4, OPENS | WAITS); // SyncGroup
        add(15, 0, 6, 5); // DescribeGroups
        add(16, 0, 5, 3); // ListGroups
        add(19, 2, 7, 5); // CreateTopics
        add(20, 1, 6, 4); // DeleteTopics
        add(21, 0, 2, 2); // DeleteRecords
        add(22, 0, 5, 2, OPENS); // InitProducerId
        add(23, 2, 4, 4, OPENS); // OffsetForLeaderEpoch
        add(24, 0, 3, 3, OPENS); // AddPartitionsToTxn; newer versions are for brokers
        add(25, 0, 4, 3, OPENS); // AddOffsetsToTxn
        add(26, 0, 5, 3, OPENS); // EndTxn
        add(28, 0, 6, 3, OPENS); // TxnOffsetCommit
        add(29, 1, 3, 2); // DescribeAcls
        add(30, 1, 3, 2); // CreateAcls
        add(31, 1, 3, 2); // DeleteAcls
        add(32, 1, 4, 4); // DescribeConfigs
        add(33, 0, 2, 2); // AlterConfigs
        add(34, 1, 2, 2); // AlterReplicaLogDirs
        add(35, 1, 5, 2); // DescribeLogDirs
        add(37, 0, 3, 2); // CreatePartitions
        add(38, 1, 3, 2); // CreateDelegationToken
        add(39, 1, 2, 2); // RenewDelegationToken
        add(40, 1, 2, 2); // ExpireDelegationToken
        add(41, 1, 3, 2); // DescribeDelegationToken
        add(42, 0, 3, 2); // DeleteGroups
        add(43, 0, 2, 2); // ElectLeaders
        add(44, 0, 1, 1); // IncrementalAlterConfigs
        add(45, 0, 1, 0); // AlterPartitionReassignments
        add(46, 0, 0, 0); // ListPartitionReassignments
        add(47, 0, 0, 1); // OffsetDelete
        add(48, 0, 1, 1); // DescribeClientQuotas
        add(49, 0, 1, 1); // AlterClientQuotas
        add(50, 0, 0, 0); // DescribeUserScramCredentials
        add(51, 0, 0, 0); // AlterUserScramCredentials
        add(60, 0, 2, 0); // DescribeCluster
        add(61, 0, 0, 0); // DescribeProducers
        add(64, 0, 0, 0); // UnregisterBroker
        add(65, 0, 0, 0); // DescribeTransactions
        add(66, 0, 2, 0); // ListTransactions
        add(68, 0, 1, 0, OPENS); // ConsumerGroupHeartbeat
        add(69, 0, 1, 0); // ConsumerGroupDescribe
        add(71, 0, 0, 0); // GetTelemetrySubscriptions
        add(72, 0, 0, 0); // PushTelemetry
        add(74, 0, 1, 0); // ListConfigResources
        add(75, 0, 0, 0); // DescribeTopicPartitions
        add(76, 1, 1, 1, OPENS); // ShareGroupHeartbeat
        add(77, 1, 1, 1); // ShareGroupDescribe
        add(78, 1, 2, 0, OPENS | WAITS); // ShareFetch
        add(79, 1, 2, 0, OPENS); // ShareAcknowledge
        add(80, 0, 1, 0); // AddRaftVoter
        add(81, 0, 0, 0); // RemoveRaftVoter
        add(88, 0, 1, 0, OPENS); // StreamsGroupHeartbeat
        add(89, 0, 1, 0); // StreamsGroupDescribe
        add(90, 0, 1, 0); // DescribeShareGroupOffsets
        add(91, 0, 0, 0); // AlterShareGroupOffsets
        add(92, 0, 0, 0); // DeleteShareGroupOffsets
        add(93, 0, 0, 0); // StreamsGroupTopologyDescriptionUpdate
        add(94, 0, 0, 0); // UnregisterController
    }

    private RingApis() {}

    /** @param flexible the first version whose request header has tagged fields */
    private record Entry(int oldest, int newest, int flexible, int properties) {}

    private static void add(int apiKey, int oldest, int newest, int flexible) {
        add(apiKey, oldest, newest, flexible, 0);
    }

    private static void add(int apiKey, int oldest, int newest, int flexible, int properties) {
        BY_KEY[apiKey] = new Entry(oldest, newest, flexible, properties);
    }

    /** Whether the ring carries the requests of clients. */
    public static boolean carries(short apiKey, short version) {
        return mayCarry(apiKey, version) && !is(apiKey, BROKERS);
    }

    /** Whether the ring carries the requests of clients or of brokers. */
    public static boolean mayCarry(short apiKey, short version) {
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

    /** Whether the answer to a carried request may take minutes. */
    public static boolean waits(short apiKey) {
        return is(apiKey, WAITS);
    }

    private static boolean is(short apiKey, int property) {
        return (BY_KEY[apiKey].properties & property) != 0;
    }
}
