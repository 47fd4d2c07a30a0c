// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlRequest.ReportReads;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlResponse.ReadAllowance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Counts the reads that a link's clients are served by RDMA, and reports them to the plugin, because the broker does
 * not see them. Counts by partition, over all clients, feed the broker's metrics. Counts by client connection, while
 * the broker limits consumers, feed their quotas.
 *
 * <p>A report is due {@link #PERIOD_MS} after the first served bytes, or {@link #IDLE_PERIOD_MS} if there were only
 * empty answers, or the broker limits no consumer. At most one report is outstanding. Confined to the event loop;
 * counting allocates once per slot and client.
 */
public final class ReadLedger {
    static final long PERIOD_MS = 100;
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
    static final long IDLE_PERIOD_MS = 1_000;

    private final LiveLink link;
    /** By slot; the counts of the last served generation. */
    private final SlotCounts[] slots;

    private final ArrayDeque<SlotCounts> dueSlots = new ArrayDeque<>();
    private final IntObjectHashMap<ReadAccount> accounts = new IntObjectHashMap<>();
    private final ArrayDeque<ReadAccount> dueAccounts = new ArrayDeque<>();
    private final Runnable onTimer = this::onTimer;
    private final Runnable onIdleTimer = this::onIdleTimer;
    private boolean isTimerSet;
    private boolean isIdleTimerSet;
    private boolean isReporting;
    private boolean isAnotherWanted;
    /** Whether the broker limits any consumer, as reported at {@link #toldAtNs}. */
    boolean limiting = true;

    private long toldAtNs;

    private static final class SlotCounts {
        private final int slot;
        private final int generation;
        private long recordBytes;
        private int fetches;

        private SlotCounts(int slot, int generation) {
            this.slot = slot;
            this.generation = generation;
        }
    }

    ReadLedger(LiveLink link, int slotCount) {
        this.link = link;
        this.slots = new SlotCounts[slotCount];
    }

    /**
     * The session's account, created on first use. The plugin is then asked about the session, unless it recently
     * reported that no consumer is limited.
     */
    public ReadAccount of(int sessionId) {
        ReadAccount account = accounts.get(sessionId);
        if (account == null) {
            account = new ReadAccount(this, sessionId);
            accounts.put(sessionId, account);
            if (limiting || System.nanoTime() - toldAtNs > TimeUnit.MILLISECONDS.toNanos(IDLE_PERIOD_MS)) {
                ask(account);
            }
        }
        return account;
    }

    /** Counts one answered Fetch of the partition in that slot, with {@code recordBytes} of its records. */
    public void served(int slot, int generation, int recordBytes) {
        SlotCounts counts = slots[slot];
        if (counts == null || counts.generation != generation) {
            // The counts of the older generation still have to be reported.
            counts = new SlotCounts(slot, generation);
            slots[slot] = counts;
        }
        if (counts.fetches++ == 0) {
            dueSlots.add(counts);
        }
        counts.recordBytes += recordBytes;
        if (recordBytes > 0) {
            setTimer();
        } else {
            setIdleTimer();
        }
    }

    /** Marks a changed account for the next report. */
    void due(ReadAccount account) {
        if (!account.isDue) {
            account.isDue = true;
            dueAccounts.add(account);
            setIdleTimer();
        }
    }

    /**
     * Reports at once an account whose allowance is used up, or nearly, and requests more. A client over its quota does
     * not cause a report with every Fetch.
     */
    void ask(ReadAccount account) {
        due(account);
        if (account.unreportedBytes > 0 || System.nanoTime() - account.askedAtNs >= PERIOD_NS) {
            isAnotherWanted = isReporting;
            report();
        } else {
            setTimer();
        }
    }

    /** Ends a session; its pending counts are still reported. */
    void close(int sessionId) {
        accounts.remove(sessionId);
    }

    private void setTimer() {
        if (!limiting) {
            setIdleTimer();
        } else if (!isTimerSet) {
            isTimerSet = true;
            link.loop.schedule(onTimer, PERIOD_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void setIdleTimer() {
        if (!isTimerSet && !isIdleTimerSet) {
            isIdleTimerSet = true;
            link.loop.schedule(onIdleTimer, IDLE_PERIOD_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void onTimer() {
        isTimerSet = false;
        report();
    }

    private void onIdleTimer() {
        isIdleTimerSet = false;
        report();
    }

    /** Sends the pending counts, or their first part. */
    private void report() {
        if (isReporting || !link.isUp() || (dueSlots.isEmpty() && dueAccounts.isEmpty())) {
            return;
        }
        isReporting = true;
        link.ask(take(), this::onAnswer);
    }

    /** Reports pending counts before the link ends, without waiting for an answer. */
    void reportLast() {
        if (!dueSlots.isEmpty() || !dueAccounts.isEmpty()) {
            link.tell(take());
        }
    }

    /** Whether the plugin knows of all reads. */
    boolean isReported() {
        return !isReporting && dueSlots.isEmpty() && dueAccounts.isEmpty();
    }

    private ReportReads take() {
        long now = System.nanoTime();
        List<ControlRequest.PartitionReads> slotReads = new ArrayList<>();
        while (!dueSlots.isEmpty() && slotReads.size() < ReportReads.MOST_ENTRIES) {
            SlotCounts counts = dueSlots.poll();
            slotReads.add(new ControlRequest.PartitionReads(
                    counts.slot, counts.generation, counts.recordBytes, counts.fetches));
            counts.recordBytes = 0;
            counts.fetches = 0;
        }
        List<ControlRequest.SessionReads> sessionReads = new ArrayList<>();
        while (!dueAccounts.isEmpty() && sessionReads.size() < ReportReads.MOST_ENTRIES) {
            ReadAccount account = dueAccounts.poll();
            account.isDue = false;
            account.askedAtNs = now;
            sessionReads.add(new ControlRequest.SessionReads(account.sessionId, account.takeUnreportedBytes()));
        }
        return new ReportReads(link.linkId(), slotReads, sessionReads);
    }

    private void onAnswer(ControlResponse response) {
        isReporting = false;
        if (response instanceof ControlResponse.ReportReads answer && answer.error() == ControlError.NONE) {
            limiting = answer.limiting();
            toldAtNs = System.nanoTime();
            for (ReadAllowance allowance : answer.allowances()) {
                ReadAccount account = accounts.get(allowance.sessionId());
                if (account != null) {
                    account.allow(allowance.bytes());
                }
            }
        }
        if (isAnotherWanted) {
            isAnotherWanted = false;
            report();
        } else if (!dueSlots.isEmpty() || !dueAccounts.isEmpty()) {
            setTimer();
        }
    }
}
