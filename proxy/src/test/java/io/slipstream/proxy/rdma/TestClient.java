// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.produce.ProduceRequestView;
import io.slipstream.protocol.wire.RequestHeaderView;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A client connection as the session presents it, with a record of its answers. Its broker is the {@link PluginPeer}.
 */
final class TestClient implements FastPathFactory.ClientConnection {
    private final EventLoop loop;
    private final PluginPeer broker;
    final List<String> nonces = new ArrayList<>();
    final AtomicInteger muteChanges = new AtomicInteger();
    /** Of all substitute requests; the parts of answers are released with the connection. */
    private final List<AnswerTranslation> translations = new ArrayList<>();
    /** While true, the broker does not answer on the upstream connection. */
    volatile boolean upstreamStalls;

    /** Receives the responses, which are otherwise released; simulates a client that does not read. */
    volatile List<ByteBuf> keptResponses;

    final FastPath fastPath;
    /** The requests except Fetches that have not ended, in order. */
    private final Deque<Request> requests = new ArrayDeque<>();

    private boolean sending;

    TestClient(EventLoop loop, PluginPeer broker, FastPathFactory factory) {
        this.loop = loop;
        this.broker = broker;
        this.fastPath = on(() -> factory.open(this));
    }

    <T> T on(java.util.concurrent.Callable<T> step) {
        try {
            return loop.submit(step).get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("step on the event loop failed", e);
        }
    }

    /** Outcome of a request; {@code kind} is respond, nothing, fallBack:REASON or close:reason. */
    record Answer(String kind, byte[] response, byte[] frame) {}

    final class Request extends PendingRequest {
        private boolean submitted;
        /** How it fell back; it ends when it can take TCP. */
        private String fellBack;

        private final ByteBuf frame;
        final CompletableFuture<Answer> answer = new CompletableFuture<>();
        volatile boolean cancelled;
        volatile boolean namesNoBroker;
        /** The substitute request, and the translation of its answer. */
        volatile byte[] otherFrame;

        volatile AnswerTranslation translation;

        Request(byte[] bytes) {
            frame = PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
            ByteBuffer whole = frame.nioBuffer();
            RequestHeaderView header = new RequestHeaderView();
            header.wrap(whole);
            apiKey = header.apiKey;
            apiVersion = header.apiVersion;
            correlationId = header.correlationId;
            bodyPosition = header.bodyPosition;
            produceForRing = new ProduceRequestView()
                            .wrap(whole, bodyPosition, apiVersion, (topic, length, partition, records, size) -> {})
                    && header.apiKey == ApiKeys.PRODUCE.id;
        }

        @Override
        public ByteBuf frame() {
            return frame;
        }

        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        private void end(String kind, ByteBuf response) {
            requests.remove(this);
            complete(kind, response);
            send();
        }

        private void complete(String kind, ByteBuf response) {
            byte[] frameBytes = new byte[frame.readableBytes()];
            frame.getBytes(frame.readerIndex(), frameBytes);
            frame.release();
            byte[] responseBytes = null;
            if (response != null) {
                responseBytes = new byte[response.readableBytes()];
                response.readBytes(responseBytes);
                if (keptResponses == null) {
                    response.release();
                } else {
                    keptResponses.add(response);
                }
            }
            if (!answer.complete(new Answer(kind, responseBytes, frameBytes))) {
                throw new IllegalStateException("answered twice: " + kind);
            }
        }

        @Override
        public void respond(ByteBuf response) {
            if (response.readInt() != response.readableBytes()) {
                throw new AssertionError("size of the response");
            }
            end("respond", response);
        }

        @Override
        public void respondAsIs(ByteBuf response) {
            namesNoBroker = true;
            respond(response);
        }

        @Override
        public void respondNothing() {
            end("nothing", null);
        }

        @Override
        public void fallBack(FallbackReason reason) {
            if (requests.contains(this)) {
                fellBack = "fallBack:" + reason;
                send();
            } else {
                end("fallBack:" + reason, null);
            }
        }

        @Override
        public void fallBack(FallbackReason reason, ByteBuffer other, AnswerTranslation answerTranslation) {
            byte[] otherBytes = new byte[other.remaining()];
            other.get(otherBytes);
            otherFrame = otherBytes;
            translation = answerTranslation;
            translations.add(answerTranslation);
            end("fallBack:" + reason, null);
        }

        @Override
        public void closeConnection(String reason) {
            end("close:" + reason, null);
        }

        Answer await() {
            try {
                return answer.get(10, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError("no answer to request " + correlationId, e);
            }
        }
    }

    Request submit(byte[] frame) {
        Request request = new Request(frame);
        loop.execute(() -> submit(request));
        return request;
    }

    /** The same on the event loop. */
    Request submitNow(byte[] frame) {
        Request request = new Request(frame);
        submit(request);
        return request;
    }

    private void submit(Request request) {
        if (request.apiKey == ApiKeys.FETCH.id) {
            fastPath.submit(request);
        } else {
            requests.add(request);
            send();
        }
    }

    /**
     * As the session does: what fell back takes TCP when nothing is pending on the fast path. Those that came behind it
     * follow it.
     */
    private void send() {
        if (sending) {
            return;
        }
        sending = true;
        String last = null;
        Request next = nextToSend();
        while (next != null && (next.fellBack == null || requests.stream().noneMatch(TestClient::isPending))) {
            if (next.fellBack == null && last == null) {
                next.submitted = true;
                fastPath.submit(next);
            } else {
                last = next.fellBack == null ? last : next.fellBack;
                requests.remove(next);
                next.complete(last, null);
            }
            next = nextToSend();
        }
        sending = false;
    }

    private Request nextToSend() {
        return requests.stream()
                .filter(request -> !isPending(request))
                .findFirst()
                .orElse(null);
    }

    private static boolean isPending(Request request) {
        return request.submitted && request.fellBack == null;
    }

    @Override
    public EventLoop eventLoop() {
        return loop;
    }

    @Override
    public int nodeId() {
        return PluginPeer.NODE;
    }

    @Override
    public String clusterId() {
        return PluginPeer.CLUSTER;
    }

    @Override
    public void sendNonce(String nonce, Consumer<ByteBuf> onResponse) {
        nonces.add(nonce);
        broker.seenNonces.add(nonce);
        if (!upstreamStalls) {
            loop.execute(() -> {
                ByteBuf response = Unpooled.buffer().writeInt(-2).writeShort(0).writeZero(8);
                onResponse.accept(response);
                response.release();
            });
        }
    }

    @Override
    public void mark() {
        muteChanges.incrementAndGet();
    }

    void close() {
        on(() -> {
            fastPath.close();
            translations.forEach(AnswerTranslation::release);
            return null;
        });
    }
}
