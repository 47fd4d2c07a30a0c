package io.slipstream.broker.kafka43.landing;

import io.slipstream.broker.landing.LandableLogs;
import io.slipstream.protocol.control.ControlRequest;
import java.nio.ByteBuffer;
import java.util.List;
import kafka.cluster.Partition;
import kafka.server.KafkaApis;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.internals.Plugin;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/** Decides who may place batches where, with the broker's own objects. */
public final class KafkaLandableLogs implements LandableLogs {
    private final KafkaApis apis;
    private final AppendFields fields;

    /** Throws IllegalStateException if the broker's classes are not as this adapter knows them. */
    public KafkaLandableLogs(KafkaApis apis) {
        this.apis = apis;
        this.fields = AppendFields.resolve();
    }

    @Override
    public Outcome resolve(Object requestContext, ControlRequest.PrepareLanding request) {
        try {
            return resolve((RequestContext) requestContext, request);
        } catch (KafkaException answer) {
            return refused(answer.toString());
        }
    }

    private Outcome resolve(RequestContext context, ControlRequest.PrepareLanding request) {
        boolean byId = !request.topicId().equals(Uuid.ZERO_UUID);
        String topic = byId ? apis.metadataCache().topicIdsToNames().get(request.topicId()) : request.topic();
        if (topic == null || topic.isEmpty()) {
            return refused("unknown topic id");
        } else if (Topic.isInternal(topic)) {
            return refused("an internal topic");
        } else if (!mayWrite(context, topic, true)) {
            return refused(NOT_AUTHORIZED);
        }
        TopicPartition topicPartition = new TopicPartition(topic, request.partition());
        if (!apis.metadataCache().contains(topicPartition)) {
            return refused("unknown partition");
        }
        Partition partition =
                apis.replicaManager().getPartitionOrException(new TopicIdPartition(request.topicId(), topicPartition));
        Option<UnifiedLog> present = partition.log();
        if (!partition.isLeader() || present.isEmpty()) {
            return refused("not the leader");
        }
        UnifiedLog log = present.get();
        Uuid topicId = log.topicId().orElse(Uuid.ZERO_UUID);
        if (topicId.equals(Uuid.ZERO_UUID) || (byId && !topicId.equals(request.topicId()))) {
            return refused("another topic id");
        }
        return new Outcome(new KafkaLandableLog(partition, log, fields, topicId), null);
    }

    @Override
    public boolean mayStillWrite(Object requestContext, String topic) {
        return mayWrite((RequestContext) requestContext, topic, false);
    }

    private boolean mayWrite(RequestContext context, String topic, boolean logIfAllowed) {
        Option<Plugin<Authorizer>> authorizer = apis.authorizerPlugin();
        if (authorizer.isEmpty()) {
            return true;
        }
        ResourcePattern resource = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        List<Action> actions = List.of(new Action(AclOperation.WRITE, resource, 1, logIfAllowed, true));
        return authorizer.get().get().authorize(context, actions).get(0) == AuthorizationResult.ALLOWED;
    }

    private static Outcome refused(String reason) {
        return new Outcome(null, reason);
    }

    @Override
    public ByteBuffer bytesOf(Object records) {
        return ((MemoryRecords) records).buffer();
    }

    @Override
    public RuntimeException notLeader(String message) {
        return new NotLeaderOrFollowerException(message);
    }

    @Override
    public RuntimeException passing(String message) {
        return new CorruptRecordException(message);
    }
}
