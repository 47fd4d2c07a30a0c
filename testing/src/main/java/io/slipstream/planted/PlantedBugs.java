// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The bugs that can be planted. */
public final class PlantedBugs {
    private static final String LINK_RING = "io.slipstream.link.ring.";
    private static final String LINK_READ = "io.slipstream.link.read.";
    private static final String FETCH = "io.slipstream.proxy.fetch.";
    private static final String SESSION = "io.slipstream.proxy.session.";
    private static final String PROXY_RING = "io.slipstream.proxy.ring.";
    private static final String RING = "io.slipstream.broker.ring.";
    private static final String READS = "io.slipstream.broker.fetch.";
    private static final String REPLICATION = "io.slipstream.replication.";
    private static final String SLOT = "io.slipstream.protocol.slot.";

    /** The bugs that the simulation is to detect. */
    public static final List<PlantedBug> ALL = List.of(
            bug(
                    "swapped-replies",
                    "replies are matched by sequence",
                    LINK_RING + "RequestRingWriter",
                    "request",
                    RingBugs.SwappedReplies.class),
            bug(
                    "answered-when-written",
                    "an answer is the broker's",
                    LINK_RING + "RingRequest",
                    "onWorkCompleted",
                    RingBugs.AnsweredWhenWritten.class),
            bug(
                    "ring-space-reused-early",
                    "ring space is reused only when it was released",
                    "io.slipstream.protocol.ring.RingSpace",
                    "release",
                    RingBugs.SpaceReusedEarly.class),
            bug(
                    "frame-released-unhandled",
                    "ring space is released when the broker is done with it",
                    RING + "RingFrameIn",
                    "isComplete",
                    Replacements.AlwaysTrue.class),
            bug(
                    "lost-credit",
                    "every answer returns its credit",
                    RING + "RequestRingReader",
                    "onAnswered",
                    RingBugs.LostCredit.class),
            bug(
                    "too-many-credits",
                    "no more requests are written than were granted",
                    LINK_RING + "RequestRingWriter",
                    "<init>",
                    RingBugs.MoreCredits.class),
            bug(
                    "reply-position-unpublished",
                    "the proxy tells how far it read",
                    LINK_RING + "ReplyRingReader",
                    "publishIfDue",
                    Replacements.Skipped.class),
            bug(
                    "short-reply",
                    "a response arrives byte for byte",
                    LINK_RING + "ReplyRingReader",
                    "append",
                    RingBugs.ShortReply.class),
            bug(
                    "one-staging-place",
                    "memory of a work request is left alone until it completed",
                    LINK_RING + "StagedFrames",
                    "gather",
                    RingBugs.OneStagingPlace.class),
            bug(
                    "wrong-session",
                    "a request is handled as its own client's",
                    LINK_RING + "RequestRingWriter",
                    "submit",
                    RingBugs.WrongSession.class),
            bug(
                    "frame-never-released",
                    "buffers are given back",
                    LINK_RING + "RingRequest",
                    "releaseFrame",
                    Replacements.Skipped.class),
            bug(
                    "waiting-overtakes-held-back",
                    "requests of a client keep their order",
                    PROXY_RING + "RingPath",
                    "mayBeWritten",
                    Replacements.AlwaysTrue.class),
            bug("doorbell-lost", "an armed reader is woken", RING + "Doorbells", "ring", Replacements.Skipped.class),
            bug(
                    "never-armed",
                    "a reader arms its slots before it sleeps",
                    LINK_READ + "SlotTableReader",
                    "arm",
                    Replacements.SkippedWithSuccess.class),
            bug(
                    "torn-slot-accepted",
                    "a slot is one publication or counts for nothing",
                    SLOT + "SlotView",
                    "isConsistent",
                    Replacements.AlwaysTrue.class),
            bug(
                    "revoked-slot-accepted",
                    "a revoked slot is not believed",
                    SLOT + "SlotView",
                    "isRevoked",
                    Replacements.AlwaysFalse.class),
            bug(
                    "lease-never-expires",
                    "slots of a broker that stands still are not believed",
                    LINK_READ + "Lease",
                    "isFresh",
                    Replacements.AlwaysTrue.class),
            bug(
                    "guess-of-a-former-lease",
                    "no region is read blindly a lease after its grant was seen",
                    LINK_READ + "Lease",
                    "covers",
                    Replacements.AlwaysTrue.class),
            bug(
                    "guess-not-checked-again",
                    "bytes count only if a slot read after them is valid",
                    FETCH + "SlotReader",
                    "useLaterCopy",
                    Replacements.Skipped.class),
            bug(
                    "watermark-off-by-one",
                    "nothing at or above the limit is served",
                    "io.slipstream.protocol.fetch.BatchWalk",
                    "walk",
                    ReadBugs.LimitOffByOne.class),
            bug(
                    "last-stable-offset-ignored",
                    "read_committed ends at the last stable offset",
                    "io.slipstream.protocol.fetch.FetchRequestView",
                    "isReadCommitted",
                    Replacements.AlwaysFalse.class),
            bug(
                    "slot-watermark-ahead",
                    "a slot holds the log's watermarks",
                    SLOT + "SlotWriter",
                    "publish",
                    ReadBugs.WatermarkAhead.class),
            bug(
                    "read-too-far",
                    "only granted and written bytes are read",
                    FETCH + "FetchPlanner",
                    "available",
                    ReadBugs.ReadTooFar.class),
            bug(
                    "swapped-records",
                    "records are served where they belong",
                    FETCH + "ResponseAssembly",
                    "respond",
                    ReadBugs.SwappedRecords.class),
            bug(
                    "shared-bytes-written-into",
                    "what several clients are served from does not change",
                    FETCH + "DataReader",
                    "isShared",
                    Replacements.AlwaysFalse.class),
            bug(
                    "wrong-correlation",
                    "a response is that of its request",
                    FETCH + "ResponseAssembly",
                    "respond",
                    ReadBugs.WrongCorrelation.class),
            bug(
                    "region-withdrawn-at-once",
                    "readers have a lease to leave a region",
                    READS + "SegmentExport",
                    "isDrained",
                    ReadBugs.NoLeaseForReaders.class),
            bug(
                    "revocation-unpublished",
                    "a slot is revoked before its log changes",
                    READS + "GrantedSlot",
                    "publishRevoked",
                    Replacements.Skipped.class),
            bug(
                    "publication-lost",
                    "every move of a watermark is published",
                    READS + "LogFeed",
                    "logChanged",
                    Replacements.Skipped.class),
            bug(
                    "charge-never-returned",
                    "registered bytes return to 0",
                    READS + "RegisteredBytes",
                    "discharge",
                    Replacements.Skipped.class),
            bug(
                    "only-first-slot-rechecked",
                    "every partition is checked again after a read",
                    FETCH + "FetchAttempt",
                    "recheck",
                    ReadBugs.FirstSlotRechecked.class),
            bug(
                    "log-start-ignored",
                    "nothing below the log's start is served",
                    FETCH + "FetchPlanner",
                    "isReadable",
                    ReadBugs.LogStartIgnored.class),
            bug(
                    "leader-epoch-ignored",
                    "a Fetch for another leader epoch is refused",
                    FETCH + "FetchPlanner",
                    "isReadable",
                    ReadBugs.LeaderEpochIgnored.class),
            bug(
                    "aborted-never-asked",
                    "read_committed lists aborted transactions",
                    FETCH + "KnownAborted",
                    "covers",
                    Replacements.AlwaysTrue.class),
            bug(
                    "aborted-part-taken-as-whole",
                    "records end where the list of aborted transactions does",
                    FETCH + "AbortedLists",
                    "limit",
                    Replacements.AlwaysFalse.class),
            bug(
                    "aborted-complete-for-ever",
                    "a list of aborted transactions ends at the last stable offset",
                    READS + "AbortedAnswers",
                    "completeTo",
                    ReadBugs.CompleteForEver.class),
            bug(
                    "aborted-count-unpublished",
                    "an aborted transaction outdates the lists",
                    READS + "LogFeed",
                    "sawAbortedTransaction",
                    Replacements.AlwaysFalse.class),
            bug(
                    "rights-by-topic",
                    "the authorizer is asked for each session",
                    READS + "LinkSlots",
                    "reauthorize",
                    ReadBugs.RightsByTopic.class),
            bug(
                    "rights-asked-once",
                    "the authorizer is asked again in each lease",
                    READS + "LinkSlots",
                    "reauthorize",
                    Replacements.Skipped.class),
            bug(
                    "one-generation",
                    "a slot that is granted anew has another generation",
                    READS + "SlotTablePublisher",
                    "generation",
                    ReadBugs.OneGeneration.class),
            bug(
                    "tcp-overtakes-rdma",
                    "requests keep their order across both paths",
                    SESSION + "RequestDispatcher",
                    "tryForward",
                    SessionBugs.TcpOvertakesRdma.class),
            bug(
                    "rdma-overtakes-tcp",
                    "requests keep their order across both paths",
                    SESSION + "RequestDispatcher",
                    "trySubmit",
                    SessionBugs.RdmaOvertakesTcp.class),
            bug(
                    "no-barrier",
                    "a request without an answer is served before the next",
                    SESSION + "RequestDispatcher",
                    "trySubmit",
                    SessionBugs.NoBarrier.class),
            bug(
                    "session-tells-nothing",
                    "a fetch session names what has changed",
                    FETCH + "IncrementalSession",
                    "mustTell",
                    Replacements.AlwaysFalse.class),
            bug(
                    "session-forgets-nothing",
                    "a fetch session leaves out forgotten partitions",
                    FETCH + "IncrementalSession",
                    "remove",
                    Replacements.Skipped.class),
            bug(
                    "unknown-outcome-repeated",
                    "a request that may have been served is not sent again",
                    SESSION + "RequestSlot",
                    "closeConnection",
                    SessionBugs.RepeatedUnknown.class),
            bug(
                    "slots-not-rechecked",
                    "slots are checked again after a read",
                    FETCH + "FetchAttempt",
                    "recheck",
                    ReadBugs.NothingRechecked.class),
            bug(
                    "region-does-not-cover",
                    "a reader gets a region with what it needs",
                    READS + "SegmentExport",
                    "covers",
                    Replacements.AlwaysTrue.class),
            bug(
                    "quota-ignored",
                    "no more is served than the plugin allows",
                    "io.slipstream.link.ReadAccount",
                    "allows",
                    Replacements.AlwaysTrue.class),
            bug(
                    "rights-of-first-session",
                    "the authorizer is asked for each session",
                    READS + "LinkSlots",
                    "reauthorize",
                    GrantBugs.RightsOfFirstSession.class),
            bug(
                    "chunk-not-rechecked",
                    "slots are checked again after a shared read",
                    FETCH + "FetchAttempt",
                    "readChunk",
                    GrantBugs.ChunkNotRechecked.class),
            bug(
                    "ring-overtakes-returned",
                    "Produce requests of a client keep their order",
                    PROXY_RING + "RingPath",
                    "mayBeWritten",
                    Replacements.AlwaysTrue.class),
            bug(
                    "session-keeps-grants",
                    "the grants of a session end with it",
                    READS + "LinkSlots",
                    "sessionClosed",
                    Replacements.Skipped.class),
            bug(
                    "aborted-never-forgotten",
                    "a list of aborted transactions belongs to one grant",
                    FETCH + "KnownAborted",
                    "forget",
                    Replacements.Skipped.class),
            bug(
                    "reads-unreported",
                    "what was served is reported",
                    "io.slipstream.link.ReadLedger",
                    "onTimer",
                    Replacements.Skipped.class),
            bug(
                    "answer-of-earlier-fetch",
                    "a follower appends the answer to its own fetch",
                    REPLICATION + "Fetcher",
                    "end",
                    ReplicationBugs.EarlierAnswer.class),
            bug(
                    "lost-fetch-awaited",
                    "a fetch ends with its link",
                    REPLICATION + "Fetcher",
                    "onOutcomeUnknown",
                    Replacements.Skipped.class),
            bug(
                    "binding-outlives-link",
                    "a fetcher binds again after its link is lost",
                    REPLICATION + "LeaderSession",
                    "onLinkLost",
                    Replacements.Skipped.class),
            bug(
                    "ended-session-kept",
                    "a fetcher binds again after the leader ended its session",
                    REPLICATION + "LeaderSession",
                    "release",
                    Replacements.Skipped.class),
            bug(
                    "closed-fetcher-keeps-session",
                    "a session ends with its fetcher",
                    REPLICATION + "LeaderSession",
                    "close",
                    Replacements.Skipped.class));

    /** Names of bugs that need more seeds than a build has; docs/reliability.md says how many. */
    public static final Set<String> RARE =
            Set.of("one-generation", "guess-of-a-former-lease", "guess-not-checked-again");

    /** The bugs that a build finds. */
    public static final List<PlantedBug> COMMON =
            ALL.stream().filter(bug -> !RARE.contains(bug.name())).toList();

    /** Further bugs for runs of processes. */
    public static final List<PlantedBug> OF_PROCESSES = List.of(
            bug(
                    "acknowledged-offset-shifted",
                    "a record stands at its acknowledged offset",
                    PROXY_RING + "RingPath",
                    "onReply",
                    AnswerBugs.OffsetShifted.class),
            bug(
                    "aborted-unlisted",
                    "an answer lists the aborted transactions in it",
                    FETCH + "AbortedLists",
                    "count",
                    AnswerBugs.NoneAborted.class),
            bug(
                    "aborted-unanswered",
                    "the plugin answers with all aborted transactions",
                    READS + "AbortedAnswers",
                    "answer",
                    AnswerBugs.NoneAnswered.class),
            bug(
                    "located-late",
                    "a position is that of the batch with the offset",
                    READS + "Located",
                    "<init>",
                    AnswerBugs.LocatedLate.class));

    /** Harmless bugs that are visible in meters. */
    public static final List<PlantedBug> VISIBLE = List.of(bug(
            "failing-hook",
            "hooks do not fail",
            "io.slipstream.broker.session.SessionTable",
            "onDisconnect",
            ServerBugs.Failure.class));

    private PlantedBugs() {}

    private static PlantedBug bug(String name, String breaks, String className, String method, Class<?> advice) {
        return new PlantedBug(name, breaks, className, method, advice);
    }

    /**
     * Returns the bug of that name.
     *
     * @throws IllegalArgumentException that lists all names
     */
    public static PlantedBug named(String name) {
        return Stream.of(ALL, OF_PROCESSES, VISIBLE)
                .flatMap(List::stream)
                .filter(bug -> bug.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown planted bug " + name + "; known: "
                        + Stream.of(ALL, OF_PROCESSES)
                                .flatMap(List::stream)
                                .map(PlantedBug::name)
                                .toList()));
    }
}
