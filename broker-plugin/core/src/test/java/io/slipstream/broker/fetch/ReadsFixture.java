package io.slipstream.broker.fetch;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.kafka.common.Uuid;

/** The read side over scripted logs, and what a link of it sees. */
final class ReadsFixture implements AutoCloseable, PartitionLogs {
    static final int LEASE_MS = 120;
    static final long BOOT_ID = 0x1234_5678_9abcL;

    final Map<String, LocateOutcome> outcomes = new ConcurrentHashMap<>();
    final Map<Object, Boolean> denied = new ConcurrentHashMap<>();
    final SlotReads reads;

    ReadsFixture(int slots, long registeredBytes) {
        reads = new SlotReads(new ReadsConfig(BOOT_ID, slots, LEASE_MS, registeredBytes, true), this);
    }

    void serve(ScriptedLog log, ScriptedSegment segment, int sealedBytes) {
        outcomes.put(log.topic(), new LocateOutcome.Located(log, segment, 0, sealedBytes));
    }

    @Override
    public LocateOutcome locate(Object requestContext, ControlRequest.Locate request) {
        return mayStillRead(requestContext, request.topic())
                ? outcomes.getOrDefault(request.topic(), new LocateOutcome.Refused("unknown topic"))
                : new LocateOutcome.Refused("not authorized");
    }

    @Override
    public boolean mayStillRead(Object requestContext, String topic) {
        return !denied.containsKey(requestContext);
    }

    Link link(IntConsumer doorbell) throws IOException {
        HostMemory memory = new HostMemory();
        return new Link(memory, reads.open(memory, memory, doorbell));
    }

    static BoundSession session(int id) {
        return new BoundSession(1, id, "connection-" + id, "principal-" + id);
    }

    @Override
    public void close() {
        reads.close();
    }

    /** One link, and its memory as its peer sees it. */
    record Link(HostMemory memory, LinkReads reads) {
        ControlResponse.Locate locate(BoundSession session, String topic) throws Exception {
            return reads.locate(
                            session,
                            new ControlRequest.Locate(1, session.sessionId(), Uuid.ZERO_UUID, topic, 0, 0, -1, -1))
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
        }

        /** A consistent copy of the slot. */
        SlotView slot(int index) {
            byte[] copy = new byte[SlotLayout.SLOT_BYTES];
            ByteBuffer table = memory.memory(reads.slotTable().rkey());
            SlotView view = new SlotView();
            do {
                table.get(SlotLayout.slotOffset(index), copy);
                view.wrap(ByteBuffer.wrap(copy), 0);
            } while (!view.isConsistent());
            return view;
        }
    }
}
