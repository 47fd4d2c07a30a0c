// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.corpus;

import io.slipstream.fuzz.KafkaReaders;
import io.slipstream.fuzz.address.ResponseRewritingSeeds;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Ports;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestUtils;

/**
 * Makes the corpora of all targets that read messages of Kafka's clients and brokers. It records the frames of stock
 * clients and a stock broker, keeps one of each kind and version, and writes it in the form of each target. Argument:
 * the directory of the resources.
 */
public final class CorpusRecording {
    private static final int MOST_BYTES = 1500;
    /** Limit for responses with records. */
    private static final int MOST_RECORDS_BYTES = 4000;

    private static final ApiMessageType[] TYPES = ApiMessageType.values();

    private final CorpusDirectory corpus;

    private CorpusRecording(CorpusDirectory corpus) {
        this.corpus = corpus;
    }

    public static void main(String[] arguments) throws IOException {
        CorpusDirectory corpus = new CorpusDirectory(Path.of(arguments[0]));
        List<FrameTap.Frame> frames = record();
        System.out.println(frames.size() + " frames recorded");
        CorpusRecording recording = new CorpusRecording(corpus);
        recording.write(oneOfEach(frames));
        SyntheticSeeds.write(corpus);
    }

    private static List<FrameTap.Frame> record() throws IOException {
        int brokerPort = Ports.free();
        int tapPort = Ports.free();
        try (FrameTap tap = new FrameTap(tapPort, brokerPort);
                BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .port(brokerPort)
                        .property("advertised.listeners", "PLAINTEXT://127.0.0.1:" + tapPort)
                        .start()) {
            System.out.println("recording Kafka " + broker.line().number());
            new StockTraffic("127.0.0.1:" + tapPort).run();
            return List.copyOf(tap.frames);
        }
    }

    /** Returns the longest permitted frame of each kind, because it has the most content. */
    private static List<FrameTap.Frame> oneOfEach(List<FrameTap.Frame> frames) {
        Map<String, FrameTap.Frame> kept = new HashMap<>();
        for (FrameTap.Frame frame : frames) {
            boolean records = !frame.request() && frame.apiKey() == ApiMessageType.FETCH.apiKey();
            if (frame.bytes().length <= (records ? MOST_RECORDS_BYTES : MOST_BYTES)) {
                kept.merge(
                        frame.request() + " " + frame.apiKey() + " " + frame.version(),
                        frame,
                        (one, other) -> one.bytes().length >= other.bytes().length ? one : other);
            }
        }
        return List.copyOf(kept.values());
    }

    private void write(List<FrameTap.Frame> frames) {
        for (FrameTap.Frame frame : frames) {
            ApiMessageType type = ApiMessageType.fromApiKey(frame.apiKey());
            guard(type, frame);
            List<FrameTap.Frame> versions = new ArrayList<>(List.of(frame));
            versions.addAll(olderVersions(type, frame));
            for (FrameTap.Frame version : versions) {
                byte versionByte = (byte) (version.version() - type.lowestSupportedVersion());
                if (!frame.request() && ResponseRewritingSeeds.typeNumber(type) >= 0) {
                    byte number = (byte) ResponseRewritingSeeds.typeNumber(type);
                    corpus.add(
                            "fuzz/address/ResponseRewritingFuzzTest/shouldChangeAddressesOnly",
                            name(type, version),
                            new byte[] {number, versionByte, 12},
                            version.bytes());
                }
                if (frame.request() && (type == ApiMessageType.PRODUCE || type == ApiMessageType.FETCH)) {
                    request(type, version, versionByte);
                }
            }
            if (frame.request() && type == ApiMessageType.PRODUCE) {
                stream(type, frame);
            }
            if (!frame.request() && type == ApiMessageType.FETCH) {
                log(frame);
            }
        }
    }

    private void guard(ApiMessageType type, FrameTap.Frame frame) {
        byte number = (byte) java.util.Arrays.asList(TYPES).indexOf(type);
        corpus.add(
                "fuzz/wire/FrameGuardFuzzTest/shouldAcceptWhatKafkaReads",
                (frame.request() ? "request-" : "response-") + name(type, frame),
                new byte[] {
                    (byte) (frame.request() ? 0 : 1), number, (byte) (frame.version() - type.lowestSupportedVersion())
                },
                frame.bytes());
    }

    private void request(ApiMessageType type, FrameTap.Frame frame, byte versionByte) {
        int body = KafkaReaders.bodyPosition(ByteBuffer.wrap(frame.bytes()), type, frame.version());
        byte[] bytes = java.util.Arrays.copyOfRange(frame.bytes(), body, frame.bytes().length);
        corpus.add(
                type == ApiMessageType.PRODUCE
                        ? "fuzz/produce/ProduceRequestFuzzTest/shouldTakeOnlyWhatKafkaReadsTheSame"
                        : "fuzz/fetch/FetchRequestFuzzTest/shouldTakeOnlyWhatKafkaReadsTheSame",
                name(type, frame),
                new byte[] {versionByte},
                bytes);
        corpus.add(
                "fuzz/session/RequestHeadersFuzzTest/shouldReadOfAFrameWhatKafkaReads",
                name(type, frame),
                new byte[0],
                frame.bytes());
    }

    /** Adds the frame twice with its size, as one piece and in pieces. */
    private void stream(ApiMessageType type, FrameTap.Frame frame) {
        int length = frame.bytes().length;
        ByteBuffer twice = ByteBuffer.allocate(2 * (4 + length));
        twice.putInt(length).put(frame.bytes()).putInt(length).put(frame.bytes());
        for (int pieces : new int[] {255, 17}) {
            corpus.add(
                    "fuzz/session/FrameDecoderFuzzTest/shouldCutTheStreamAsItsSizesSay",
                    name(type, frame) + "-" + pieces,
                    new byte[] {(byte) (pieces == 17 ? 2 : 0), (byte) pieces},
                    twice.array());
        }
    }

    private void log(FrameTap.Frame frame) {
        KafkaReaders.Read read =
                KafkaReaders.response(ByteBuffer.wrap(frame.bytes()), ApiMessageType.FETCH, frame.version());
        if (read == null) {
            return;
        }
        ((FetchResponseData) read.body())
                .responses().stream()
                        .flatMap(topic -> topic.partitions().stream())
                        .forEach(partition -> {
                            MemoryRecords records = (MemoryRecords) partition.records();
                            if (records != null && records.sizeInBytes() > 0) {
                                byte[] bytes = new byte[records.sizeInBytes()];
                                records.buffer().duplicate().get(bytes);
                                ByteBuffer head = ByteBuffer.allocate(21);
                                head.putLong(1).putLong(100).putInt(MOST_BYTES).put((byte) 1);
                                corpus.add(
                                        "fuzz/fetch/BatchWalkFuzzTest/shouldAcceptKafkasBatchesOnly",
                                        "log-" + partition.partitionIndex(),
                                        head.array(),
                                        bytes);
                            }
                        });
    }

    /** Returns the same message in the older versions that can express it, by Kafka's writer. */
    private static List<FrameTap.Frame> olderVersions(ApiMessageType type, FrameTap.Frame frame) {
        List<FrameTap.Frame> older = new ArrayList<>();
        ByteBuffer bytes = ByteBuffer.wrap(frame.bytes());
        KafkaReaders.Read read = frame.request()
                ? KafkaReaders.request(bytes, type, frame.version())
                : KafkaReaders.response(bytes, type, frame.version());
        for (short v = type.lowestSupportedVersion(); read != null && v < frame.version(); v++) {
            try {
                older.add(new FrameTap.Frame(
                        frame.request(), frame.apiKey(), v, rewrite(type, frame.request(), v, read.body())));
            } catch (RuntimeException unsaid) {
                // A field of the newer version that this one does not have.
            }
        }
        return older;
    }

    private static byte[] rewrite(ApiMessageType type, boolean request, short version, ApiMessage body) {
        ApiKeys api = ApiKeys.forId(type.apiKey());
        ByteBuffer bytes = request
                ? RequestUtils.serialize(
                        new RequestHeaderData()
                                .setRequestApiKey(api.id)
                                .setRequestApiVersion(version)
                                .setCorrelationId(7)
                                .setClientId("client"),
                        api.requestHeaderVersion(version),
                        body,
                        version)
                : RequestUtils.serialize(
                        new ResponseHeaderData().setCorrelationId(7),
                        api.responseHeaderVersion(version),
                        body,
                        version);
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    private static String name(ApiMessageType type, FrameTap.Frame frame) {
        return type.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-') + "-v" + frame.version();
    }
}
