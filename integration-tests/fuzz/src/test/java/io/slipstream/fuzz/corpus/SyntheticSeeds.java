// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.corpus;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotTableHeader;
import io.slipstream.protocol.slot.SlotWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.Uuid;

/**
 * Seeds that no Kafka client writes: control messages, slots, scripts of rings and configurations. The project's own
 * writers make them.
 */
final class SyntheticSeeds {
    private static final RemoteMemory MEMORY = new RemoteMemory(1L << 40, 1 << 20, 77);

    private SyntheticSeeds() {}

    static void write(CorpusDirectory corpus) {
        control(corpus);
        slots(corpus);
        rings(corpus);
        configurations(corpus);
    }

    private static void control(CorpusDirectory corpus) {
        Uuid topic = new Uuid(1, 2);
        List<ControlRequest> requests = List.of(
                new ControlRequest.Hello("proxy", "0.1"),
                new ControlRequest.OpenLink(1 << 20, 64),
                new ControlRequest.AttachLink(3, MEMORY),
                new ControlRequest.BeginSession(3),
                new ControlRequest.ConfirmSession(3, "slipstream-0123456789abcdef"),
                new ControlRequest.CloseSession(3, 4),
                new ControlRequest.Locate(3, 4, topic, "orders", 0, 1000, -1, -1),
                new ControlRequest.ReleaseSegment(3, 77),
                new ControlRequest.ReleaseSlot(3, 4, 5, 6),
                new ControlRequest.ReportReads(
                        3,
                        List.of(new ControlRequest.PartitionReads(5, 6, 1 << 20, 7)),
                        List.of(new ControlRequest.SessionReads(4, 1 << 20))),
                new ControlRequest.ListAborted(3, 4, 5, 6, 1000, 1010));
        for (ControlRequest request : requests) {
            control(corpus, "request-" + name(ControlApi.of(request)), 0, ControlCodec.encodeRequest(1, request));
        }
        ControlError none = ControlError.NONE;
        List<ControlResponse> responses = List.of(
                new ControlResponse.Hello(none, null, "cluster", 1, 9, "shm", "/tmp/s", 3000, 1 << 20, 1 << 20, false),
                new ControlResponse.OpenLink(none, null, 3, 99),
                new ControlResponse.AttachLink(none, null, MEMORY, MEMORY, MEMORY, MEMORY, 1024, 64),
                new ControlResponse.BeginSession(none, null, "slipstream-0123456789abcdef"),
                new ControlResponse.ConfirmSession(none, null, 4),
                new ControlResponse.Locate(none, null, topic, "orders", 5, 6, 1000, 4096, MEMORY, -1),
                new ControlResponse.ReportReads(
                        none, null, true, List.of(new ControlResponse.ReadAllowance(4, 1 << 20))),
                new ControlResponse.ListAborted(
                        none, null, 2000, 4096, true, 1, List.of(new AbortedTransaction(7, 1000, 1020, -1))),
                ControlApi.RELEASE_SLOT.refusal(ControlError.UNKNOWN_HANDLE, "no such slot"));
        for (ControlResponse response : responses) {
            control(corpus, "response-" + name(ControlApi.of(response)), 1, ControlCodec.encodeResponse(1, response));
        }
    }

    private static void control(CorpusDirectory corpus, String name, int kind, ByteBuffer frame) {
        byte[] body = new byte[frame.remaining() - Integer.BYTES];
        frame.get(Integer.BYTES, body);
        corpus.add(
                "fuzz/control/ControlCodecFuzzTest/shouldDecodeOrRefuseByName", name, new byte[] {(byte) kind}, body);
    }

    private static String name(ControlApi api) {
        return api.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void slots(CorpusDirectory corpus) {
        ByteBuffer table = ByteBuffer.allocateDirect(SlotLayout.tableBytes(2) + SlotLayout.SLOT_BYTES)
                .alignedSlice(SlotLayout.SLOT_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        SlotTableHeader.initialise(table, 42, 2);
        SlotTableHeader.beat(table);
        SlotWriter writer = new SlotWriter(table, 2);
        writer.publish(0, 0, 7, 3, 1000, 1500, 65_536, 2, 1500, 0);
        writer.publish(1, SlotLayout.FLAG_REVOKED, 8, 4, 0, 20, 1234, 0, 10, 5);
        for (int slot = 0; slot < 2; slot++) {
            for (int mix = 0; mix < 2; mix++) {
                ByteBuffer input = ByteBuffer.allocate(178).order(ByteOrder.LITTLE_ENDIAN);
                input.put((byte) mix).put((byte) 0x0f);
                input.put(2, table, SlotLayout.slotOffset(slot), SlotLayout.SLOT_BYTES);
                input.putInt(66, 1)
                        .putInt(70, 9)
                        .putInt(74, 3)
                        .putLong(78, 1000)
                        .putLong(86, 1600);
                input.putInt(94, 70_000).putLong(98, 1600).putLong(106, 0);
                input.put(114, table, 0, SlotLayout.HEADER_BYTES);
                corpus.add(
                        "fuzz/slot/SlotFuzzTest/shouldBelieveWhatWasPublishedOnly",
                        "slot-" + slot + (mix == 0 ? "" : "-mixed"),
                        new byte[0],
                        input.array());
            }
        }
    }

    /** Scripts that submit, answer, and forge each field. */
    private static void rings(CorpusDirectory corpus) {
        byte[] submit = {0, 0, 100};
        byte[] large = {0, 7, (byte) 0xe0};
        byte[] answer = {1, 0, 0, 40};
        byte[] second = {1, 1, 0, 9};
        byte[] silent = {1, 0, 2};
        byte[] throttle = {1, 0, 4};
        byte[] padding = new byte[8];
        ring(corpus, "answered", submit, answer, submit, submit, second, answer, padding);
        ring(corpus, "wrapped", large, answer, submit, large, answer, answer, submit, answer, padding);
        ring(corpus, "waiting", submit, submit, submit, submit, submit, submit, silent, throttle, answer, padding);
        for (int word = 0; word < 8; word++) {
            byte[] forge = {2, (byte) word, 0, 0, 0, 1};
            ring(corpus, "forged-request-" + word, forge, submit, padding);
            ring(corpus, "forged-reply-" + word, submit, forge, answer, padding);
        }
        ring(corpus, "announced-request", submit, new byte[] {3, 0, 0, 0, 3}, padding);
        ring(corpus, "announced-reply", submit, answer, new byte[] {4, 0, 0, 0, 2, 0, 64}, padding);
    }

    private static void ring(CorpusDirectory corpus, String name, byte[]... steps) {
        int length = 0;
        for (byte[] step : steps) {
            length += step.length;
        }
        ByteBuffer script = ByteBuffer.allocate(length);
        for (byte[] step : steps) {
            script.put(step);
        }
        corpus.add(
                "fuzz/ring/RingFuzzTest/shouldTakeWhatWasWrittenAndRefuseWhatWasForged",
                name,
                new byte[0],
                script.array());
    }

    private static void configurations(CorpusDirectory corpus) {
        configuration(
                corpus,
                "fuzz/config/ProxyConfigFuzzTest/shouldBeUsableOrRefusedByName",
                "minimal",
                "bootstrap.servers=localhost:9092\n");
        configuration(corpus, "fuzz/config/ProxyConfigFuzzTest/shouldBeUsableOrRefusedByName", "addresses", """
                bootstrap.servers=[::1]:9092,broker.example:9093
                listen.host=127.0.0.1
                listen.port=19092
                broker.port.base=-1
                advertised.host=localhost
                management.port=0
                rdma.control.ports=1:9494,2:9495
                slipstream.directory=/tmp/slipstream
                """);
        configuration(corpus, "fuzz/config/ProxyConfigFuzzTest/shouldBeUsableOrRefusedByName", "rdma", """
                bootstrap.servers=localhost:9092
                rdma.provider=verbs
                rdma.device=rxe0
                event.loops.spin.us=50
                rdma.read.memory.bytes=67108864
                rdma.retry.count=3
                event.loops=2
                #3=7
                """);
        configuration(
                corpus,
                "fuzz/config/PluginConfigFuzzTest/shouldBeUsableOrRefusedByName",
                "minimal",
                "node.id=1\nslipstream.enabled=true\n");
        configuration(corpus, "fuzz/config/PluginConfigFuzzTest/shouldBeUsableOrRefusedByName", "all", """
                slipstream.directory=/tmp/slipstream
                slipstream.provider=verbs
                slipstream.rdma.address=[fe80::1]:0
                slipstream.control.address=127.0.0.1:9494
                slipstream.poll.spin.us=20
                slipstream.ring.bytes=1048576
                slipstream.ring.credits=64
                slipstream.slots=128
                slipstream.lease.ms=3000
                slipstream.registered.bytes=1073741824
                #5=9
                """);
    }

    private static void configuration(CorpusDirectory corpus, String target, String name, String text) {
        corpus.add(target, name, new byte[0], text.getBytes(StandardCharsets.UTF_8));
    }
}
