// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.BatchRefused;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.RdmaEvent.BytesLanded;
import io.slipstream.history.RdmaEvent.CreditsCounted;
import io.slipstream.history.RdmaEvent.Fenced;
import io.slipstream.history.RdmaEvent.RangeHashed;
import io.slipstream.history.RdmaEvent.SlotAccepted;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent.ResourceCounted;
import java.util.List;

/** Bugs visible in recovery, grants, slots and resources. */
final class RdmaBugs {
    static final List<HistoryBug> ALL = List.of(
            new HistoryBug(
                    "lose-in-crash",
                    "recovery cuts off what was acknowledged",
                    "I18 lost-by-recovery",
                    recording -> recording.changeAll(
                            BatchDumped.class,
                            batch -> batch.dump() == CleanHistory.COPY_IMAGE && batch.baseOffset() == 0,
                            batch -> batch.withRecords(Recording.without(
                                    batch.records(),
                                    value -> value == batch.records().value(9))))),
            new HistoryBug(
                    "keep-torn-batch",
                    "recovery keeps a batch that is not whole",
                    "I18 torn-batch",
                    recording -> recording.changeAll(
                            BatchDumped.class,
                            batch -> batch.dump() == CleanHistory.COPY_IMAGE,
                            batch -> new BatchDumped(
                                    batch.dump(),
                                    batch.baseOffset(),
                                    batch.lastOffset(),
                                    0,
                                    9,
                                    0,
                                    batch.baseSequence(),
                                    batch.type(),
                                    false,
                                    batch.hash(),
                                    batch.records()))),
            new HistoryBug(
                    "recover-unsent",
                    "recovery brings bytes of a later life",
                    "I18 invented-by-recovery",
                    recording -> recording.changeAll(
                            SendInvoked.class,
                            send -> send.partition() == CleanHistory.COPY && send.sequence() == 3,
                            send -> new SendInvoked(
                                    Long.MAX_VALUE - 1,
                                    send.producer(),
                                    3,
                                    send.partition(),
                                    send.transaction(),
                                    send.digest(),
                                    send.source()))),
            new HistoryBug(
                    "landed-counts-as-committed",
                    "what the broker refused stays in the log",
                    "I18 refused-batch-in-log",
                    recording -> recording.change(
                            BatchRefused.class,
                            any -> true,
                            refused -> new BatchRefused(
                                    refused.atNs(), refused.partition(), refused.producer(), 5, refused.reason()))),
            new HistoryBug(
                    "skip-fence",
                    "memory is granted again without a fence",
                    "I19 overlapping-grants",
                    recording -> recording.remove(Fenced.class, fenced -> fenced.grant() < 4)),
            new HistoryBug(
                    "write-after-fence",
                    "a late write lands",
                    "I19 write-after-fence",
                    recording -> recording.events.add(new BytesLanded(0, 4, 0, 8))),
            new HistoryBug(
                    "dirty-after-fence",
                    "fenced memory changes unseen",
                    "I19 changed-after-fence",
                    recording -> recording.change(
                            RangeHashed.class,
                            any -> true,
                            hashed -> new RangeHashed(hashed.atNs(), hashed.grant(), hashed.hash() + 1))),
            new HistoryBug(
                    "write-beyond-grant",
                    "a write begins before its range",
                    "I19 write-outside-grant",
                    recording -> recording.change(
                            BytesLanded.class,
                            any -> true,
                            landed -> new BytesLanded(landed.atNs(), landed.grant(), -8, landed.toByte()))),
            new HistoryBug(
                    "torn-slot",
                    "a reader mixes two publications",
                    "I20 torn-slot",
                    recording -> recording.change(
                            SlotAccepted.class,
                            any -> true,
                            slot -> new SlotAccepted(
                                    slot.atNs(),
                                    slot.reader(),
                                    slot.boot(),
                                    slot.slot(),
                                    slot.generation(),
                                    slot.sequence(),
                                    slot.hash() - 1))),
            new HistoryBug("stale-slot", "a reader goes back to an older snapshot", "I20 stale-slot", recording -> {
                SlotAccepted old = recording.get(SlotAccepted.class, slot -> slot.sequence() < 5);
                recording.events.add(old);
            }),
            new HistoryBug(
                    "slot-of-another-life",
                    "a slot of a dead broker is taken for the living one's",
                    "I20 unpublished-slot",
                    recording -> recording.change(
                            SlotAccepted.class,
                            slot -> slot.boot() == 1,
                            slot -> new SlotAccepted(
                                    slot.atNs(),
                                    slot.reader(),
                                    2,
                                    slot.slot(),
                                    slot.generation(),
                                    slot.sequence(),
                                    slot.hash()))),
            new HistoryBug(
                    "lose-credit",
                    "a credit is dropped with a reply",
                    "I21 lost-credit",
                    recording -> recording.change(
                            CreditsCounted.class,
                            any -> true,
                            counted -> new CreditsCounted(
                                    counted.atNs(),
                                    counted.link(),
                                    counted.initial(),
                                    counted.available() - 1,
                                    counted.outstanding()))),
            new HistoryBug(
                    "keep-credit",
                    "a credit never comes back",
                    "I21 leak",
                    recording -> recording.changeAll(
                            CreditsCounted.class,
                            counted -> counted.outstanding() == 0,
                            counted -> new CreditsCounted(
                                    counted.atNs(), counted.link(), counted.initial(), counted.available() - 1, 1))),
            new HistoryBug(
                    "leak-region",
                    "a memory region stays registered",
                    "I21 leak",
                    recording -> recording.changeAll(
                            ResourceCounted.class,
                            counted -> counted.phase() == ResourcePhase.END,
                            counted -> new ResourceCounted(
                                    counted.atNs(),
                                    counted.process(),
                                    counted.resource(),
                                    counted.phase(),
                                    counted.count() + 1,
                                    0))));

    private RdmaBugs() {}
}
