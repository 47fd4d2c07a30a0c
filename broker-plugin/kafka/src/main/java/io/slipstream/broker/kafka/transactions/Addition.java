// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.transactions;

import java.util.Map;
import java.util.function.Consumer;
import kafka.server.KafkaRequestHandler;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.transaction.AddPartitionsToTxnManager.AppendCallback;
import scala.Function1;
import scala.runtime.BoxedUnit;

/**
 * Partitions that are being added to a transaction.
 *
 * <pre>
 *   ASKING ──refused──▶ LEFT TO TCP: the broker asks by a request
 *      └──added──▶ DONE ◀──answered──┘
 * </pre>
 *
 * <p>Both ask again while the coordinator ends the last transaction: a handler after 1 ms, and the broker after as long
 * as it pauses for a Produce. The limits of both are the broker's own.
 *
 * <p>A handler asks, each time: the scheduler's thread only hands the request on. The coordinator answers on the asking
 * thread, or on any thread once its log is replicated.
 */
final class Addition implements AppendCallback {
    private static final long RETRY_MS = 1;

    private final OwnCoordinator own;
    private final AppendCallback callback;
    private final Question question;
    private final Consumer<Addition> stockWay;
    private int retriesLeft;
    private int requestsLeft;
    private volatile Thread asking;
    /** The answer on the asking thread. The coordinator holds a lock when it answers, so nothing follows before. */
    private Errors answer;

    /** Asks the coordinator. */
    interface Question {
        void ask(Function1<Errors, BoxedUnit> answer, RequestLocal memory);
    }

    /** @param stockWay has the broker ask by a request, and call this addition back */
    Addition(OwnCoordinator own, AppendCallback callback, Question question, Consumer<Addition> stockWay) {
        this.own = own;
        this.callback = callback;
        this.question = question;
        this.stockWay = stockWay;
        retriesLeft = own.config.addPartitionsToTxnRetryBackoffMs();
        requestsLeft = own.config.addPartitionsToTxnRetryBackoffMaxMs() / retriesLeft;
    }

    /** On a handler's thread, with its memory. */
    BoxedUnit ask(RequestLocal memory) {
        asking = Thread.currentThread();
        try {
            question.ask(this::answered, memory);
        } finally {
            asking = null;
        }
        Errors now = answer;
        answer = null;
        if (now == Errors.CONCURRENT_TRANSACTIONS && retriesLeft > 0) {
            retriesLeft--;
            own.retries.increment();
            // Has a handler ask again, for the same request.
            Function1<Object, BoxedUnit> again =
                    KafkaRequestHandler.wrapAsyncCallback((local, nothing) -> ask(local), memory);
            own.scheduler.scheduleOnce("slipstream-add-partitions", () -> again.apply(null), RETRY_MS);
        } else if (now != null) {
            finish(now);
        }
        return BoxedUnit.UNIT;
    }

    private BoxedUnit answered(Errors error) {
        if (asking == Thread.currentThread()) {
            answer = error;
        } else {
            finish(error);
        }
        return BoxedUnit.UNIT;
    }

    private void finish(Errors error) {
        if (error == Errors.NONE) {
            own.added.increment();
            callback.complete(Map.of());
        } else {
            own.leftToTcp.increment();
            stockWay.accept(this);
        }
    }

    /** The outcome of the stock way, on any thread. */
    @Override
    public void complete(Map<TopicPartition, Errors> refused) {
        if (requestsLeft-- > 0 && refused.containsValue(Errors.CONCURRENT_TRANSACTIONS)) {
            own.retries.increment();
            int pauseMs = own.config.addPartitionsToTxnRetryBackoffMs();
            own.scheduler.scheduleOnce("slipstream-add-partitions", () -> stockWay.accept(this), pauseMs);
        } else {
            callback.complete(refused);
        }
    }
}
