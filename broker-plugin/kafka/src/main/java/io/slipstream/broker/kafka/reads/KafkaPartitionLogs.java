// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.Located;
import io.slipstream.broker.fetch.PartitionLogs;
import io.slipstream.broker.fetch.RefusedException;
import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import kafka.cluster.Partition;
import kafka.server.KafkaApis;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.internals.Plugin;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/** Decides a Locate as the broker decides a consumer's Fetch: in the same order and with the broker's own objects. */
public final class KafkaPartitionLogs implements PartitionLogs {
    private final KafkaApis apis;
    private final LogFields fields;
    private final Function<Object, AbortedTransaction> indexEntry;

    /**
     * Throws IllegalStateException if the broker's classes differ from those that this adapter expects.
     *
     * @param indexEntry converts an entry of a transaction index
     */
    public KafkaPartitionLogs(KafkaApis apis, Function<Object, AbortedTransaction> indexEntry) {
        this.indexEntry = indexEntry;
        this.apis = apis;
        this.fields = LogFields.resolve();
    }

    @Override
    public Located locate(Object requestContext, boolean isAllowed, ControlRequest.Locate request) {
        try {
            return locate((RequestContext) requestContext, isAllowed, request);
        } catch (KafkaException | IOException answer) {
            // The broker would answer with an error code, or a file was removed during the search.
            throw refused(answer.toString());
        }
    }

    private Located locate(RequestContext context, boolean isAllowed, ControlRequest.Locate request)
            throws IOException {
        boolean byId = !request.topicId().equals(Uuid.ZERO_UUID);
        String topic = byId ? apis.metadataCache().topicIdsToNames().get(request.topicId()) : request.topic();
        if (topic == null || topic.isEmpty()) {
            throw refused("unknown topic id");
        }
        if (!isAllowed && !mayRead(context, topic, true)) {
            throw refused(NOT_AUTHORIZED);
        }
        TopicPartition topicPartition = new TopicPartition(topic, request.partition());
        if (!apis.metadataCache().contains(topicPartition)) {
            throw refused("unknown partition");
        }
        Partition partition =
                apis.replicaManager().getPartitionOrException(new TopicIdPartition(request.topicId(), topicPartition));
        int leaderEpoch = partition.getLeaderEpoch();
        Option<UnifiedLog> present = partition.log();
        if (!partition.isLeader() || present.isEmpty()) {
            throw refused("not the leader");
        }
        if (request.currentLeaderEpoch() >= 0 && request.currentLeaderEpoch() != leaderEpoch) {
            throw refused("leader epoch is " + leaderEpoch);
        }
        UnifiedLog log = present.get();
        Uuid topicId = log.topicId().orElse(Uuid.ZERO_UUID);
        if (topicId.equals(Uuid.ZERO_UUID) || (byId && !topicId.equals(request.topicId()))) {
            throw refused("another topic id");
        }
        if (!KafkaLog.isLocal(log)) {
            throw refused("tiered");
        }
        if (diverges(partition, request)) {
            throw refused("diverging epoch");
        }
        long offset = request.fetchOffset();
        if (offset < log.logStartOffset() || offset > log.highWatermark()) {
            throw refused("offset out of range");
        }
        KafkaLog readable = new KafkaLog(partition, log, fields, indexEntry, fields.lock(log), topicId, leaderEpoch);
        return BatchSearch.locate(readable, log, offset);
    }

    /** Returns whether the broker would answer a diverging epoch or an error for the last fetched epoch. */
    private static boolean diverges(Partition partition, ControlRequest.Locate request) {
        if (request.lastFetchedEpoch() < 0) {
            return false;
        }
        Optional<Integer> current =
                request.currentLeaderEpoch() < 0 ? Optional.empty() : Optional.of(request.currentLeaderEpoch());
        EpochEndOffset end = partition.lastOffsetForLeaderEpoch(current, request.lastFetchedEpoch(), false);
        return end.errorCode() != Errors.NONE.code()
                || end.endOffset() == OffsetsForLeaderEpochResponse.UNDEFINED_EPOCH_OFFSET
                || end.leaderEpoch() == OffsetsForLeaderEpochResponse.UNDEFINED_EPOCH
                || end.leaderEpoch() < request.lastFetchedEpoch()
                || end.endOffset() < request.fetchOffset();
    }

    @Override
    public boolean mayStillRead(Object requestContext, String topic) {
        return mayRead((RequestContext) requestContext, topic, false);
    }

    private boolean mayRead(RequestContext context, String topic, boolean logIfAllowed) {
        Option<Plugin<Authorizer>> authorizer = apis.authorizerPlugin();
        if (authorizer.isEmpty()) {
            return true;
        }
        ResourcePattern resource = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        List<Action> actions = List.of(new Action(AclOperation.READ, resource, 1, logIfAllowed, true));
        return authorizer.get().get().authorize(context, actions).get(0) == AuthorizationResult.ALLOWED;
    }

    private static RefusedException refused(String reason) {
        return new RefusedException(ControlError.NOT_READABLE, reason);
    }
}
