// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ResourcePhase;
import io.slipstream.history.RunEvent.ResourceCounted;
import java.util.List;

/** Bugs visible in recovery and resources. */
final class ResourceBugs {
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

    private ResourceBugs() {}
}
