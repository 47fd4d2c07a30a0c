// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlRequest.PartitionReads;
import io.slipstream.protocol.control.ControlRequest.SessionReads;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlResponse.ReadAllowance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.cache.LRUCache;

/**
 * Enters the reports of one link's proxy into the broker's metrics and quotas. A proxy may conceal reads. Its reports
 * count only for partitions and sessions of this link, and only up to the bytes that a link can carry. Worker thread
 * only.
 */
final class LinkAccount {
    /**
     * Upper bound of a link's rate, beyond present hardware. A proxy may serve one read to several of its clients, but
     * only within its host.
     */
    static final long MOST_BYTES_PER_SECOND = 64L << 30;
    /** Longest time that a report may cover: a stopped proxy reports late. */
    static final long MOST_SECONDS = 60;
    /** Lower bound of the bytes that a partition takes in the answer to each Fetch that names it. */
    static final int LEAST_BYTES_PER_FETCH = 16;

    /**
     * Largest number of sessions whose grants are remembered. Beyond it the oldest grant stays in effect until it
     * expires.
     */
    private static final int MOST_SESSIONS = 16_384;

    private final ReadAccounts accounts;
    private final ReadAllowances allowances;
    /** By slot: its last topic and generation. Entries outlive the grant for late reports. */
    private final Map<Integer, Served> served = new HashMap<>();

    private final LRUCache<Integer, ReadAllowances.Grant> grants = new LRUCache<>(MOST_SESSIONS);
    private long lastReportNs;
    private long carriableBytes = MOST_BYTES_PER_SECOND;

    /** A session that a report names. {@code isOpen} tells whether the proxy may serve more to it. */
    record Reader(BoundSession session, boolean isOpen) {}

    private record Served(String topic, int generation) {}

    LinkAccount(ReadAccounts accounts, ReadAllowances allowances, long nowNs) {
        this.accounts = accounts;
        this.allowances = allowances;
        this.lastReportNs = nowNs;
    }

    /** Notes the topic of the slot; at most one entry for each slot of the link. */
    void granted(GrantedSlot slot, String topic) {
        served.put(slot.index, new Served(topic, slot.generation));
    }

    void sessionClosed(int sessionId) {
        grants.remove(sessionId);
    }

    /** @param readers the sessions that the report names, null where the link has no session of that id */
    ControlResponse.ReportReads enter(ControlRequest.ReportReads report, Reader[] readers, long nowNs) {
        String refusal = refusal(report, nowNs);
        if (refusal != null) {
            return SlotReads.refusal(report, ControlError.LIMIT, refusal);
        }
        for (PartitionReads reads : report.slots()) {
            Served slot = served.get(reads.slot());
            if (slot != null && slot.generation() == reads.generation()) {
                accounts.served(slot.topic(), reads.recordBytes(), reads.fetches());
            }
        }
        boolean limiting = accounts.isLimiting();
        List<ReadAllowance> answers = new ArrayList<>();
        for (int i = 0; i < readers.length; i++) {
            SessionReads reads = report.sessions().get(i);
            long bytes = limiting ? chargeAndAllow(readers[i], reads, nowNs) : ReadAllowance.NO_LIMIT;
            answers.add(new ReadAllowance(reads.sessionId(), bytes));
        }
        return new ControlResponse.ReportReads(ControlError.NONE, null, limiting, answers);
    }

    private long chargeAndAllow(Reader reader, SessionReads reads, long nowNs) {
        if (reader == null) {
            return 0;
        }
        Object requestContext = reader.session().requestContext();
        if (reads.responseBytes() > 0) {
            accounts.charge(requestContext, reads.responseBytes());
        }
        if (!reader.isOpen()) {
            return 0;
        }
        ReadAccounts.ReadQuota quota = accounts.quota(requestContext);
        if (quota == null) {
            return ReadAllowance.NO_LIMIT;
        }
        ReadAllowances.Grant grant =
                allowances.grant(quota, reads.responseBytes(), grants.get(reads.sessionId()), nowNs);
        grants.put(reads.sessionId(), grant);
        return grant.bytes;
    }

    /**
     * Returns null if the numbers are possible, and deducts them from the bytes that the link can carry. Else returns
     * the reason.
     */
    private String refusal(ControlRequest.ReportReads report, long nowNs) {
        if (report.slots().size() > ControlRequest.ReportReads.MOST_ENTRIES
                || report.sessions().size() > ControlRequest.ReportReads.MOST_ENTRIES) {
            return "more than " + ControlRequest.ReportReads.MOST_ENTRIES + " entries";
        }
        double seconds = (nowNs - lastReportNs) / 1e9;
        lastReportNs = nowNs;
        carriableBytes = (long) Math.min(
                (double) MOST_BYTES_PER_SECOND * MOST_SECONDS, carriableBytes + seconds * MOST_BYTES_PER_SECOND);
        long records = 0;
        for (PartitionReads reads : report.slots()) {
            if (reads.recordBytes() < 0 || reads.fetches() < 0) {
                return "negative numbers";
            }
            records +=
                    Math.min(carriableBytes + 1, reads.recordBytes()) + (long) LEAST_BYTES_PER_FETCH * reads.fetches();
        }
        long responses = 0;
        for (SessionReads reads : report.sessions()) {
            if (reads.responseBytes() < 0) {
                return "negative numbers";
            }
            responses += Math.min(carriableBytes + 1, reads.responseBytes());
        }
        if (Math.max(records, responses) > carriableBytes) {
            return "more bytes than a link carries";
        }
        carriableBytes -= Math.max(records, responses);
        return null;
    }
}
