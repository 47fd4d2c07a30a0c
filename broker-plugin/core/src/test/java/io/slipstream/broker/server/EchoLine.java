// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.fetch.LinkSlots;
import io.slipstream.broker.fetch.Located;
import io.slipstream.broker.fetch.PartitionLogs;
import io.slipstream.broker.fetch.ReadAccounts;
import io.slipstream.broker.fetch.ReadsConfig;
import io.slipstream.broker.fetch.RefusedException;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.hook.HookInstaller;
import io.slipstream.broker.hook.HookPoint;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.kafka.RequestHandlers;
import io.slipstream.broker.metrics.BrokerGauges;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.ring.RingHandler;
import io.slipstream.broker.ring.RingReply;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.QueuePair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;

/**
 * Stands for Kafka where its request handling does not matter. It answers each request with the request's own bytes,
 * unless {@link #answer} says otherwise: some at once, and some later from another thread and so out of order.
 */
final class EchoLine implements KafkaLine {
    private final Random random;
    volatile IntConsumer doorbell;
    /** Runs on a handler thread before it answers a request. */
    volatile Consumer<RingFrameIn> beforeAnswer = frame -> {};
    /** Makes the answer from a copy of the request. */
    volatile UnaryOperator<ByteBuffer> answer = request -> request;
    /** Answers without delays, and so in order. */
    volatile boolean answersAtOnce;
    /** Answers nothing before {@link #answerWithheld}. */
    volatile boolean withholds;

    /** Runs on a handler thread before it reads a part of an answer in files; null if answers are in memory. */
    volatile Consumer<RingFrameIn> beforeRead;

    /** Alters the broker's settings, as an operator would; null while the plugin does not follow them. */
    volatile Consumer<Map<String, Object>> alter;
    /** Runs before the handler threads stop. */
    volatile Runnable beforeStop = () -> {};

    private final Queue<RingReply> withheld = new ConcurrentLinkedQueue<>();
    private EchoHandlers handlers;
    /** Runs on the control thread before it attaches a link. */
    volatile Runnable beforeAttach = () -> {};

    EchoLine(long seed) {
        random = new Random(seed);
    }

    /** Answers the requests whose answers were withheld. */
    void answerWithheld() {
        for (RingReply reply = withheld.poll(); reply != null; reply = withheld.poll()) {
            reply.frame.link.reply(reply);
        }
    }

    /** Gives each ring thread one more handler. */
    void addHandlers() {
        handlers.start();
    }

    @Override
    public String name() {
        return "echo";
    }

    @Override
    public boolean supports(String version) {
        return true;
    }

    @Override
    public List<HookPoint> hooks() {
        return List.of();
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<String, Object> originals(Object brokerServer) {
        return (Map<String, Object>) brokerServer;
    }

    @Override
    public Runnable follow(
            Object brokerServer,
            Set<String> keys,
            Consumer<Map<String, Object>> check,
            Consumer<Map<String, Object>> altered) {
        alter = settings -> {
            check.accept(settings);
            altered.accept(settings);
        };
        return () -> alter = null;
    }

    @Override
    public AutoCloseable replicate(BrokerHandle broker, HookInstaller hooks, PluginMeters meters) {
        return () -> {};
    }

    @Override
    public void release() {}

    @Override
    public boolean isServerOf(Object brokerServer, Object socketServer) {
        return brokerServer == socketServer;
    }

    @Override
    public BrokerHandle describe(Object brokerServer, Map<String, Object> originals) {
        return new BrokerHandle(
                brokerServer, null, "cluster", 7, 1, 1 << 20, 1 << 20, false, List.of(), PluginConfig.of(originals));
    }

    @Override
    public ObservedConnection observe(Object request) {
        return (ObservedConnection) request;
    }

    /** Makes a connection without authentication, as the broker would report it. */
    static ObservedConnection connection(String id, String nonce) {
        return new ObservedConnection(id, nonce, "PLAINTEXT", "User:ANONYMOUS", false, nonce);
    }

    @Override
    public ObservedChannel observeChannel(Object channel) {
        return (ObservedChannel) channel;
    }

    @Override
    public RequestHandlers requestHandlers(BrokerHandle broker, PluginMeters meters, List<RingThread> threads) {
        handlers = new EchoHandlers(threads, random);
        return handlers;
    }

    @Override
    public BrokerGauges gauges() {
        return new BrokerGauges() {
            @Override
            public void add(BrokerGauges.Gauge gauge) {}

            @Override
            public void remove(BrokerGauges.Gauge gauge) {}
        };
    }

    @Override
    public SlotReads readableLogs(BrokerHandle broker, ReadsConfig bounds) {
        return new NoLogs(bounds);
    }

    private final class EchoHandlers implements RequestHandlers {
        private final List<RingThread> rings;
        private final Random random;
        private final List<Thread> threads = new ArrayList<>();
        private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
        private volatile boolean stopped;

        EchoHandlers(List<RingThread> rings, Random random) {
            this.rings = rings;
            this.random = random;
        }

        @Override
        public void start() {
            for (RingThread ring : rings) {
                RingHandler handler = new RingHandler(ring);
                Thread thread = new Thread(() -> run(ring, handler), "echo");
                threads.add(thread);
                thread.start();
            }
        }

        private void run(RingThread ring, RingHandler handler) {
            while (!stopped) {
                boolean isOwner = handler.own(300);
                if (isOwner && ring.takeTask() instanceof Runnable reading) {
                    handler.enterBroker(null);
                    reading.run();
                    continue;
                }
                RingFrameIn frame = isOwner ? handler.poll(300) : null;
                if (frame != null) {
                    handler.enterBroker(frame);
                    int delayMicros;
                    synchronized (random) {
                        delayMicros = !answersAtOnce && random.nextInt(4) == 0 ? random.nextInt(2000) : 0;
                    }
                    beforeAnswer.accept(frame);
                    Echo echo = new Echo(frame, answer.apply(copy(frame.payload())), beforeRead);
                    if (withholds) {
                        withheld.add(echo);
                    } else if (delayMicros == 0) {
                        frame.link.reply(echo);
                    } else {
                        later.schedule(() -> frame.link.reply(echo), delayMicros, TimeUnit.MICROSECONDS);
                    }
                    // As in the broker's handler: after handling, answered or not.
                    frame.releaseBytes();
                }
            }
            handler.close();
        }

        @Override
        public void leaveToTcp() {}

        @Override
        public void close() {
            beforeStop.run();
            stopped = true;
            rings.forEach(RingThread::stop);
            for (Thread thread : threads) {
                try {
                    thread.join(5_000);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            later.shutdownNow();
        }
    }

    /** The ring's bytes are released after handling. */
    private static ByteBuffer copy(ByteBuffer payload) {
        return ByteBuffer.allocate(payload.capacity())
                .put(payload.duplicate().clear())
                .flip();
    }

    private static final class Echo extends RingReply {
        private final ByteBuffer payload;
        private final Consumer<RingFrameIn> beforeRead;

        Echo(RingFrameIn frame, ByteBuffer payload, Consumer<RingFrameIn> beforeRead) {
            super(frame, 0, payload.remaining(), beforeRead != null);
            this.beforeRead = beforeRead;
            this.payload = payload;
        }

        @Override
        public void writeTo(ByteBuffer target) {
            move(payload, target);
        }

        @Override
        public void read(int bytes) throws IOException {
            beforeRead.accept(frame);
        }
    }

    /** Without a log: each wish to read is refused. */
    private final class NoLogs extends SlotReads {
        NoLogs(ReadsConfig bounds) {
            super(bounds, new NoPartitions(), new NoAccounts());
        }

        @Override
        public LinkSlots open(Object proxy, ProtectionDomain domain, QueuePair queuePair, IntConsumer ring)
                throws IOException {
            beforeAttach.run();
            doorbell = ring;
            return super.open(proxy, domain, queuePair, ring);
        }
    }

    private static final class NoPartitions implements PartitionLogs {
        @Override
        public Located locate(Object requestContext, boolean isAllowed, ControlRequest.Locate request) {
            throw new RefusedException(ControlError.NOT_READABLE, "there are no logs");
        }

        @Override
        public boolean mayStillRead(Object requestContext, String topic) {
            return false;
        }
    }

    private static final class NoAccounts implements ReadAccounts {
        @Override
        public boolean isLimiting() {
            return false;
        }

        @Override
        public void served(String topic, long recordBytes, long fetches) {}

        @Override
        public void charge(Object requestContext, long responseBytes) {}

        @Override
        public ReadQuota quota(Object requestContext) {
            return null;
        }
    }
}
