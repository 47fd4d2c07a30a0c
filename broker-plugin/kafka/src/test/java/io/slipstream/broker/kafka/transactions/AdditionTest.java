// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.transactions;

import static org.apache.kafka.server.transaction.AddPartitionsToTxnManager.TransactionSupportedOperation.ADD_PARTITION;
import static org.apache.kafka.server.transaction.AddPartitionsToTxnManager.TransactionSupportedOperation.GENERIC_ERROR_SUPPORTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.metrics.PluginMeters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaRequestHandler$;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.transaction.AddPartitionsToTxnConfig;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager.AppendCallback;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager.TransactionSupportedOperation;
import org.apache.kafka.server.util.Scheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Function1;
import scala.runtime.BoxedUnit;

class AdditionTest {
    private static final int PAUSE_MS = 3;
    private static final int MOST_REQUESTS = 2;
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final Map<TopicPartition, Errors> CONCURRENT = Map.of(PARTITION, Errors.CONCURRENT_TRANSACTIONS);

    private final PluginMeters meters = new PluginMeters();
    private final Later later = new Later();
    private final OwnCoordinator own = new OwnCoordinator(null, null, later, config(), meters);
    private final List<Map<TopicPartition, Errors>> outcomes = new ArrayList<>();
    private final ArrayDeque<Errors> answers = new ArrayDeque<>();
    private final List<Addition> left = new ArrayList<>();
    private Function1<Errors, BoxedUnit> pending;
    private boolean isInCoordinator;

    /** Without a handler thread, Kafka runs what it wraps at once. */
    @BeforeEach
    void allowAnyThread() {
        KafkaRequestHandler$.MODULE$.setBypassThreadCheck(true);
    }

    @AfterEach
    void allowHandlersOnly() {
        KafkaRequestHandler$.MODULE$.setBypassThreadCheck(false);
    }

    /** The broker would ask again at most {@link #MOST_REQUESTS} times. */
    private static AddPartitionsToTxnConfig config() {
        return new AddPartitionsToTxnConfig(new AbstractConfig(
                AddPartitionsToTxnConfig.CONFIG_DEF,
                Map.of(
                        AddPartitionsToTxnConfig.ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MS_CONFIG,
                        PAUSE_MS,
                        AddPartitionsToTxnConfig.ADD_PARTITIONS_TO_TXN_RETRY_BACKOFF_MAX_MS_CONFIG,
                        MOST_REQUESTS * PAUSE_MS),
                false));
    }

    private Addition start(Errors... script) {
        answers.addAll(Arrays.asList(script));
        Addition addition = new Addition(own, this::complete, this::ask, left::add);
        addition.ask(RequestLocal.noCaching());
        return addition;
    }

    private void complete(Map<TopicPartition, Errors> refused) {
        assertThat(isInCoordinator)
                .as("called while the coordinator holds its lock")
                .isFalse();
        outcomes.add(refused);
    }

    /** Answers on the asking thread, or later if the script has no more answers. */
    private void ask(Function1<Errors, BoxedUnit> answer, RequestLocal memory) {
        if (answers.isEmpty()) {
            pending = answer;
            return;
        }
        isInCoordinator = true;
        answer.apply(answers.remove());
        isInCoordinator = false;
    }

    @Test
    void shouldCallBackAfterTheCoordinatorHasReturned() {
        start(Errors.NONE);
        assertThat(outcomes).containsExactly(Map.of());
        assertThat(left).isEmpty();
        assertCounts(1, 0, 0);
    }

    @Test
    void shouldCallBackOnceTheLogIsReplicated() {
        start();
        assertThat(outcomes).isEmpty();
        pending.apply(Errors.NONE);
        assertThat(outcomes).containsExactly(Map.of());
        assertCounts(1, 0, 0);
    }

    @Test
    void shouldLeaveARefusalToTheStockWay() {
        Addition addition = start(Errors.PRODUCER_FENCED);
        assertThat(outcomes).isEmpty();
        assertThat(left).containsExactly(addition);
        addition.complete(Map.of(PARTITION, Errors.INVALID_PRODUCER_EPOCH));
        assertThat(outcomes).containsExactly(Map.of(PARTITION, Errors.INVALID_PRODUCER_EPOCH));
        assertCounts(0, 1, 0);
    }

    @Test
    void shouldLeaveAFailedReplicationToTheStockWay() {
        Addition addition = start();
        pending.apply(Errors.NOT_COORDINATOR);
        assertThat(outcomes).isEmpty();
        assertThat(left).containsExactly(addition);
        assertCounts(0, 1, 0);
    }

    @Test
    void shouldAskAgainWhileTheLastTransactionEnds() {
        start(Errors.CONCURRENT_TRANSACTIONS, Errors.CONCURRENT_TRANSACTIONS, Errors.NONE);
        assertThat(outcomes).isEmpty();
        later.run();
        assertThat(outcomes).isEmpty();
        later.run();
        assertThat(outcomes).containsExactly(Map.of());
        assertThat(later.delaysMs).containsExactly(1L, 1L);
        assertCounts(1, 0, 2);
    }

    @Test
    void shouldLeaveATransactionThatDoesNotEndToTheStockWay() {
        Addition addition = start(Collections.nCopies(PAUSE_MS + 1, Errors.CONCURRENT_TRANSACTIONS)
                .toArray(Errors[]::new));
        for (int i = 0; i < PAUSE_MS; i++) {
            assertThat(left).isEmpty();
            later.run();
        }
        assertThat(left).containsExactly(addition);
        assertThat(later.tasks).isEmpty();
        assertThat(outcomes).isEmpty();
        assertCounts(0, 1, PAUSE_MS);
    }

    @Test
    void shouldHaveTheBrokerAskAgainAfterItsPause() {
        Addition addition = start(Errors.NOT_COORDINATOR);
        addition.complete(CONCURRENT);
        assertThat(left).hasSize(1);
        later.run();
        assertThat(left).containsExactly(addition, addition);
        assertThat(outcomes).isEmpty();
        addition.complete(Map.of());
        assertThat(outcomes).containsExactly(Map.of());
        assertThat(later.delaysMs).containsExactly((long) PAUSE_MS);
        assertCounts(0, 1, 1);
    }

    @Test
    void shouldRefuseATransactionThatDoesNotEnd() {
        Addition addition = start(Errors.NOT_COORDINATOR);
        for (int i = 0; i < MOST_REQUESTS; i++) {
            addition.complete(CONCURRENT);
            assertThat(outcomes).isEmpty();
            later.run();
        }
        addition.complete(CONCURRENT);
        assertThat(outcomes).containsExactly(CONCURRENT);
        assertThat(later.tasks).isEmpty();
        assertCounts(0, 1, MOST_REQUESTS);
    }

    @Test
    void shouldHearOfAnAnswerThatFollowsAFailedQuestion() {
        Addition addition = new Addition(
                own,
                this::complete,
                (answer, memory) -> {
                    pending = answer;
                    throw new IllegalStateException("a failure of the broker");
                },
                left::add);
        assertThatThrownBy(() -> addition.ask(RequestLocal.noCaching())).hasMessage("a failure of the broker");
        pending.apply(Errors.NONE);
        assertThat(outcomes).containsExactly(Map.of());
    }

    @Test
    void shouldTakeOnlyAdditionsOfHandlersOnce() throws Exception {
        AppendCallback callback = outcomes::add;
        assertThat(isTaken(callback, ADD_PARTITION))
                .as("a thread of the broker")
                .isFalse();
        FutureTask<Boolean> ofHandler = new FutureTask<>(() -> {
            own.serveThread();
            Addition addition = new Addition(own, callback, this::ask, left::add);
            return isTaken(callback, GENERIC_ERROR_SUPPORTED) || isTaken(addition, ADD_PARTITION);
        });
        new Thread(ofHandler).start();
        assertThat(ofHandler.get(10, TimeUnit.SECONDS))
                .as("verification only, or the stock way of an addition")
                .isFalse();
    }

    private static boolean isTaken(AppendCallback callback, TransactionSupportedOperation operation) {
        return OwnCoordinator.take(null, "id", 1, (short) 0, List.of(PARTITION), callback, operation);
    }

    private void assertCounts(long added, long leftToTcp, long retries) {
        assertThat(own.added.sum()).as("added").isEqualTo(added);
        assertThat(own.leftToTcp.sum()).as("left to TCP").isEqualTo(leftToTcp);
        assertThat(own.retries.sum()).as("retries").isEqualTo(retries);
    }

    /** Runs tasks when told. */
    private static final class Later implements Scheduler {
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        private final List<Long> delaysMs = new ArrayList<>();

        void run() {
            tasks.remove().run();
        }

        @Override
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            assertThat(periodMs).isNegative();
            tasks.add(task);
            delaysMs.add(delayMs);
            return null;
        }

        @Override
        public void startup() {}

        @Override
        public void shutdown() {}

        @Override
        public void resizeThreadPool(int newSize) {}
    }
}
