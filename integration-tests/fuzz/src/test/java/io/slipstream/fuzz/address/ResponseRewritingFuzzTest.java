// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.address;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.slipstream.fuzz.HeapUse;
import io.slipstream.fuzz.KafkaReaders;
import io.slipstream.protocol.address.AddressMap;
import io.slipstream.protocol.address.ApiVersionsIntersection;
import io.slipstream.protocol.address.ResponseRewriter;
import io.slipstream.protocol.address.Topology;
import io.slipstream.protocol.wire.ApiTable;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Rewrites responses with addresses. Kafka must read the same message, except for the addresses of brokers.
 *
 * <pre>
 *   0 api u8 (a rewritten one, or ApiVersions) │ 1 version u8 │ 2 host u8: length of the proxy's host
 *   3 frame, header on
 * </pre>
 */
class ResponseRewritingFuzzTest {
    private static final int FIRST_BYTE = 3;
    private static final int PORT_BASE = 20_000;
    /**
     * For one endpoint: its objects, the learned broker, three strings. An endpoint takes at least 11 bytes.
     */
    private static final int ENDPOINT_BYTES = 600;

    private static final int LEAST_ENDPOINT_BYTES = 11;
    private static final int OBJECTS_BYTES = 64 << 10;
    /** For each byte of a response, Kafka's readers allocate at most an object and its place in a list. */
    private static final int KAFKA_BYTES_PER_BYTE = 500;

    static final List<ApiMessageType> TYPES = List.of(
            ApiMessageType.METADATA,
            ApiMessageType.FIND_COORDINATOR,
            ApiMessageType.DESCRIBE_CLUSTER,
            ApiMessageType.PRODUCE,
            ApiMessageType.FETCH,
            ApiMessageType.SHARE_FETCH,
            ApiMessageType.SHARE_ACKNOWLEDGE,
            ApiMessageType.API_VERSIONS);

    @FuzzTest
    void shouldChangeAddressesOnly(byte[] input) {
        if (input.length < FIRST_BYTE) {
            return;
        }
        ApiMessageType type = TYPES.get((input[0] & 0xff) % TYPES.size());
        short version = KafkaReaders.version(type, input[1]);
        ByteBuffer frame =
                ByteBuffer.wrap(input, FIRST_BYTE, input.length - FIRST_BYTE).slice();
        if (type == ApiMessageType.API_VERSIONS) {
            checkVersions(frame, version);
        } else {
            checkAddresses(frame, type, version, "h".repeat(1 + (input[2] & 0x7f)));
        }
    }

    private void checkAddresses(ByteBuffer frame, ApiMessageType type, short version, String host) {
        ByteBuffer before =
                ByteBuffer.allocate(frame.remaining()).put(frame.duplicate()).flip();
        Proxied proxied = new Proxied(host);
        ResponseRewriter rewriter = new ResponseRewriter(proxied);
        ByteBuffer[] after = new ByteBuffer[1];
        long endpoints = frame.remaining() / LEAST_ENDPOINT_BYTES;
        HeapUse.requireAtMost(
                OBJECTS_BYTES
                        + (long) KAFKA_BYTES_PER_BYTE * frame.remaining()
                        + endpoints * (ENDPOINT_BYTES + 2L * host.length()),
                () -> after[0] = rewrite(rewriter, frame, type, version));
        require(frame.equals(before), "the response was changed in place");

        KafkaReaders.Read read = KafkaReaders.response(frame, type, version);
        if (after[0] == null) {
            require(read == null || !KafkaReaders.isKafkasWriting(read, frame, version), "refused, but Kafka wrote it");
            return;
        }
        if (after[0] == frame) {
            if (read != null
                    && proxied.learned == null
                    && Endpoints.anyOfBrokers(read.body())
                    && KafkaReaders.isKafkasWriting(read, frame, version)) {
                throw new AssertionError("not rewritten: " + read.body());
            }
            return;
        }
        require(read != null, "rewritten, but Kafka cannot read it");
        require(proxied.learned != null, "rewritten, but nothing was learned");
        KafkaReaders.Read rewritten = KafkaReaders.response(after[0], type, version);
        require(rewritten != null, "Kafka cannot read the rewritten response");
        // Those after a message that is written anew are lost. No broker sends any.
        require(rewritten.leftBytes() == 0 || rewritten.leftBytes() == read.leftBytes(), "bytes after the message");
        ApiMessage expected = Endpoints.readdressed(read.body(), host, PORT_BASE);
        requireEqual(expected, rewritten);
    }

    /** Null if the response was refused. */
    private static ByteBuffer rewrite(ResponseRewriter rewriter, ByteBuffer frame, ApiMessageType type, short version) {
        try {
            return rewriter.rewrite(frame, type.apiKey(), version);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private void checkVersions(ByteBuffer frame, short version) {
        KafkaReaders.Read read = KafkaReaders.response(frame, ApiMessageType.API_VERSIONS, version);
        ByteBuffer before =
                ByteBuffer.allocate(frame.remaining()).put(frame.duplicate()).flip();
        ByteBuffer[] after = new ByteBuffer[1];
        HeapUse.requireAtMost(
                OBJECTS_BYTES + (long) KAFKA_BYTES_PER_BYTE * frame.remaining(),
                () -> after[0] = ApiVersionsIntersection.intersect(frame, version));
        require(frame.equals(before), "the response was changed in place");
        boolean tooNew = before.limit() >= 6 && before.getShort(4) == 35;
        if (read == null || tooNew) {
            require(read != null || tooNew || after[0] == frame, "changed, but Kafka cannot read it");
            return;
        }
        ApiVersionsResponseData expected = (ApiVersionsResponseData) read.body();
        boolean changes = false;
        for (Iterator<ApiVersion> apis = expected.apiKeys().iterator(); apis.hasNext(); ) {
            ApiVersion api = apis.next();
            short known = ApiTable.highestVersion(api.apiKey());
            short highest = (short) Math.min(known, api.maxVersion());
            changes |= highest != api.maxVersion() || api.minVersion() > known || known < 0;
            if (api.minVersion() > known || known < 0) {
                apis.remove();
            } else {
                api.setMaxVersion(highest);
            }
        }
        boolean changed = after[0] != frame;
        require(changes || !changed, "changed without a need");
        require(changed || !changes || !KafkaReaders.isKafkasWriting(read, frame, version), "not limited");
        if (changed) {
            KafkaReaders.Read limited = KafkaReaders.response(after[0], ApiMessageType.API_VERSIONS, version);
            require(limited != null, "Kafka cannot read the intersected versions");
            requireEqual(expected, limited);
        }
    }

    /** Converts the messages to text only for a finding, because that takes longer than everything else. */
    private static void requireEqual(ApiMessage expected, KafkaReaders.Read read) {
        if (!read.body().equals(expected)) {
            throw new AssertionError("expected " + expected + " but got " + read.body());
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** All brokers at one host, each at its own port. */
    private static final class Proxied implements AddressMap {
        private final String host;
        private Topology learned;

        Proxied(String host) {
            this.host = host;
        }

        @Override
        public void learn(Topology topology) {
            require(!topology.brokers().isEmpty(), "no brokers were learned");
            learned = topology;
        }

        @Override
        public String host(int nodeId) {
            return host;
        }

        @Override
        public int port(int nodeId) {
            return PORT_BASE + nodeId % 1000;
        }
    }
}
