// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.Seeds;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class ControlCodecTest {
    private static final Class<?>[] REQUESTS = ControlRequest.class.getPermittedSubclasses();
    private static final Class<?>[] RESPONSES = ControlResponse.class.getPermittedSubclasses();

    @Test
    void shouldKnowAnApiForEveryRecord() throws Exception {
        Random random = Seeds.random("shouldKnowAnApiForEveryRecord");
        assertThat(REQUESTS).hasSameSizeAs(ControlApi.values());
        assertThat(RESPONSES).hasSameSizeAs(ControlApi.values());
        for (int i = 0; i < REQUESTS.length; i++) {
            ControlApi api = ControlApi.of((ControlRequest) sample(REQUESTS[i], random));
            assertThat(api.name().replace("_", "")).isEqualToIgnoringCase(REQUESTS[i].getSimpleName());
            assertThat(ControlApi.of((ControlResponse) sample(RESPONSES[i], random)))
                    .isSameAs(api);
            assertThat(ControlApi.ofKey(api.key)).isSameAs(api);
        }
    }

    @Test
    void shouldNotKnowReservedNumbers() {
        for (short key : new short[] {9, 10}) {
            assertThat(ControlApi.ofKey(key)).isNull();
            ByteBuffer request = withoutSize(ControlCodec.encodeRequest(41, new ControlRequest.BeginSession(3)));
            request.putShort(0, key);
            MalformedControlMessageException malformed = malformedRequest(request);
            assertThat(malformed).hasMessageContaining("unknown api");
            assertThat(malformed.isOfRetiredApi()).isTrue();
            ByteBuffer refusal = withoutSize(ControlCodec.encodeProtocolError(malformed));
            assertThat(refusal.getShort(0)).isEqualTo(key);
            assertThat(refusal.getShort(ControlCodec.HEADER_BYTES))
                    .as("landing is off")
                    .isEqualTo((short) 11);
        }
        for (short code : new short[] {9, 10, 11}) {
            assertThat(ControlError.of(code)).isSameAs(ControlError.INTERNAL);
        }
    }

    @Test
    void shouldRoundTripEveryRequest() throws Exception {
        Random random = Seeds.random("shouldRoundTripEveryRequest");
        for (Class<?> type : REQUESTS) {
            for (int i = 0; i < 200; i++) {
                ControlRequest request = (ControlRequest) sample(type, random);
                int correlationId = random.nextInt();
                ControlEnvelope<ControlRequest> decoded =
                        ControlCodec.decodeRequest(withoutSize(ControlCodec.encodeRequest(correlationId, request)));
                assertThat(decoded).isEqualTo(new ControlEnvelope<>(correlationId, request));
            }
        }
    }

    @Test
    void shouldRoundTripEveryResponse() throws Exception {
        Random random = Seeds.random("shouldRoundTripEveryResponse");
        for (Class<?> type : RESPONSES) {
            for (int i = 0; i < 200; i++) {
                ControlResponse response = (ControlResponse) sample(type, random);
                int correlationId = random.nextInt();
                ControlEnvelope<ControlResponse> decoded =
                        ControlCodec.decodeResponse(withoutSize(ControlCodec.encodeResponse(correlationId, response)));
                assertThat(decoded).isEqualTo(new ControlEnvelope<>(correlationId, response));
            }
        }
    }

    @Test
    void shouldRoundTripEveryRefusalOfEveryApi() {
        for (ControlApi api : ControlApi.values()) {
            for (ControlError error : ControlError.values()) {
                if (error != ControlError.NONE) {
                    ControlResponse refusal = api.refusal(error, "because");
                    ByteBuffer frame = withoutSize(ControlCodec.encodeResponse(7, refusal));
                    assertThat(ControlCodec.decodeResponse(frame)).isEqualTo(new ControlEnvelope<>(7, refusal));
                }
            }
        }
    }

    @Test
    void shouldCutLongMessagesInsteadOfOutgrowingTheFrame() {
        ControlResponse refusal = ControlApi.HELLO.refusal(ControlError.INTERNAL, "x".repeat(100_000));
        ControlResponse decoded = ControlCodec.decodeResponse(withoutSize(ControlCodec.encodeResponse(1, refusal)))
                .message();
        assertThat(decoded.error()).isEqualTo(ControlError.INTERNAL);
        assertThat(decoded.message()).hasSize(1000);
    }

    @Test
    void shouldRefuseToEncodeMissingOrOversizedFields() {
        assertThatThrownBy(() -> ControlCodec.encodeRequest(1, new ControlRequest.Hello(null, "1")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        ControlCodec.encodeRequest(1, new ControlRequest.Hello("a".repeat(32_767), "b".repeat(32_767))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65536");
    }

    @Test
    void shouldFitTheMostAbortedTransactionsIntoAFrame() {
        AbortedTransaction one = new AbortedTransaction(1, 2, 3, 4);
        ControlResponse.ListAborted most = new ControlResponse.ListAborted(
                ControlError.NONE,
                null,
                9,
                8,
                true,
                1,
                Collections.nCopies(ControlResponse.ListAborted.MOST_TRANSACTIONS, one));
        assertThat(ControlCodec.decodeResponse(withoutSize(ControlCodec.encodeResponse(1, most)))
                        .message())
                .isEqualTo(most);
    }

    @Test
    void shouldAnswerUnknownApisAndVersionsWithTheirCorrelationId() {
        ByteBuffer unknownApi = withoutSize(ControlCodec.encodeRequest(41, new ControlRequest.BeginSession(3)));
        unknownApi.putShort(0, (short) 99);
        ByteBuffer unknownVersion = withoutSize(ControlCodec.encodeRequest(42, new ControlRequest.BeginSession(3)));
        unknownVersion.putShort(2, (short) 1);

        assertThat(malformedRequest(unknownApi).correlationId()).isEqualTo(41);
        MalformedControlMessageException malformed = malformedRequest(unknownVersion);
        assertThat(malformed.correlationIdKnown()).isTrue();
        ByteBuffer answer = withoutSize(ControlCodec.encodeProtocolError(malformed));
        ControlEnvelope<ControlResponse> decoded = ControlCodec.decodeResponse(answer);
        assertThat(decoded.correlationId()).isEqualTo(42);
        assertThat(decoded.message()).isInstanceOf(ControlResponse.BeginSession.class);
        assertThat(decoded.message().error()).isEqualTo(ControlError.PROTOCOL);
    }

    @Test
    void shouldRejectFramesWithoutAHeaderAndOversizedOnes() {
        assertThat(malformedRequest(ByteBuffer.allocate(7)).correlationIdKnown())
                .isFalse();
        assertThat(malformedRequest(ByteBuffer.allocate(ControlCodec.MAX_FRAME_BYTES + 1))
                        .correlationIdKnown())
                .isTrue();
    }

    @Test
    void shouldRejectEveryTruncationAndEveryExtension() throws Exception {
        Random random = Seeds.random("shouldRejectEveryTruncationAndEveryExtension");
        for (int api = 0; api < REQUESTS.length; api++) {
            byte[] request = bytes(ControlCodec.encodeRequest(5, (ControlRequest) sample(REQUESTS[api], random)));
            byte[] response = bytes(ControlCodec.encodeResponse(5, (ControlResponse) sample(RESPONSES[api], random)));
            for (int length = 0; length <= request.length + 1; length++) {
                if (length != request.length) {
                    malformedRequest(ByteBuffer.wrap(Arrays.copyOf(request, length)));
                }
            }
            for (int length = 0; length <= response.length + 1; length++) {
                if (length != response.length) {
                    malformedResponse(ByteBuffer.wrap(Arrays.copyOf(response, length)));
                }
            }
        }
    }

    @Test
    void shouldSurviveRandomBytesWithoutAllocatingMoreThanTheyJustify() throws Exception {
        Random random = Seeds.random("shouldSurviveRandomBytesWithoutAllocatingMoreThanTheyJustify");
        for (int i = -1_000; i < 20_000; i++) {
            byte[] bytes = new byte[8 + random.nextInt(120)];
            random.nextBytes(bytes);
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            if (random.nextInt(10) != 0) {
                frame.putShort(0, (short) random.nextInt(16));
                frame.putShort(2, (short) 0);
            }
            // An exception with stack trace and message takes some kilobytes, whatever the frame states.
            long allocated = allocatedFor(frame);
            if (i < 0) {
                continue; // the first rounds load classes
            }
            if (allocated >= 32_000) {
                allocated = allocatedFor(frame); // so may a later one, once
            }
            assertThat(allocated)
                    .as("bytes allocated for %s", Arrays.toString(bytes))
                    .isLessThan(32_000);
        }
    }

    private static long allocatedFor(ByteBuffer frame) {
        return Allocation.bytesOf(() -> {
            tryDecode(frame.duplicate(), true);
            tryDecode(frame.duplicate(), false);
        });
    }

    private static void tryDecode(ByteBuffer frame, boolean request) {
        try {
            if (request) {
                ControlCodec.decodeRequest(frame);
            } else {
                ControlCodec.decodeResponse(frame);
            }
        } catch (MalformedControlMessageException expected) {
            assertThat(expected.correlationIdKnown()).isTrue();
        }
    }

    private static MalformedControlMessageException malformedRequest(ByteBuffer frame) {
        return org.assertj.core.api.Assertions.catchThrowableOfType(
                MalformedControlMessageException.class, () -> failUnlessThrown(ControlCodec.decodeRequest(frame)));
    }

    private static void malformedResponse(ByteBuffer frame) {
        assertThatThrownBy(() -> ControlCodec.decodeResponse(frame))
                .isInstanceOf(MalformedControlMessageException.class);
    }

    private static void failUnlessThrown(Object decoded) {
        throw new AssertionError("decoded " + decoded);
    }

    private static ByteBuffer withoutSize(ByteBuffer frame) {
        assertThat(frame.getInt()).isEqualTo(frame.remaining());
        return frame.slice();
    }

    private static byte[] bytes(ByteBuffer frame) {
        ByteBuffer body = withoutSize(frame);
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }

    /** A record of that type with random components; responses without error, message sometimes null. */
    private static Object sample(Class<?> type, Random random) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            boolean nullable = components[i].getName().equals("message")
                    || components[i].getName().equals("topic");
            values[i] = nullable && random.nextBoolean()
                    ? null
                    : types[i] == List.class
                            ? samples(components[i].getGenericType(), random)
                            : value(types[i], random);
        }
        var constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values);
    }

    private static List<Object> samples(Type listType, Random random) throws Exception {
        Class<?> element = (Class<?>) ((ParameterizedType) listType).getActualTypeArguments()[0];
        List<Object> samples = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            samples.add(sample(element, random));
        }
        return samples;
    }

    private static Object value(Class<?> type, Random random) throws Exception {
        if (type == int.class) {
            return random.nextInt();
        } else if (type == long.class) {
            return random.nextLong();
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == String.class) {
            return random.ints(random.nextInt(40), 0x20, 0x2fff)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
        } else if (type == Uuid.class) {
            return new Uuid(random.nextLong(), random.nextLong());
        } else if (type == ControlError.class) {
            return ControlError.NONE;
        } else if (type == RemoteMemory.class) {
            return sample(RemoteMemory.class, random);
        }
        throw new IllegalArgumentException("No sample for " + type);
    }
}
