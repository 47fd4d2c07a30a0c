// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.kafka.reads;

import io.slipstream.broker.fetch.ReadAccounts;
import kafka.server.KafkaApis;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.network.Session;
import org.apache.kafka.server.quota.ClientQuotaManager;
import org.apache.kafka.server.quota.QuotaType;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * Counts one-sided reads as {@code KafkaApis.handleFetchRequest} and {@code ReplicaManager.fetchMessages} count a
 * Fetch: in the same objects, under the same keys.
 *
 * @param quotas the broker's own Fetch quotas
 */
public record KafkaReadAccounts(KafkaApis apis, ClientQuotaManager quotas) implements ReadAccounts {
    /** The broker's value for "no quota". */
    private static final double NO_BOUND = Long.MAX_VALUE;

    @Override
    public boolean isLimiting() {
        return quotas.quotasEnabled();
    }

    @Override
    public void served(String topic, long recordBytes, long fetches) {
        if (!apis.metadataCache().contains(topic)) {
            // The topic's metrics were removed, and must not be created again.
            return;
        }
        BrokerTopicStats stats = apis.replicaManager().brokerTopicStats();
        stats.updateBytesOut(topic, false, false, recordBytes);
        stats.topicStats(topic).totalFetchRequestRate().mark(fetches);
        stats.allTopicsStats().totalFetchRequestRate().mark(fetches);
    }

    @Override
    public void charge(Object requestContext, long responseBytes) {
        RequestContext context = (RequestContext) requestContext;
        // The bytes are already read, so they cannot be delayed. Instead the broker throttles its own next answer.
        quotas.recordNoThrottle(sessionOf(context), context.header.clientId(), responseBytes);
    }

    @Override
    public ReadQuota quota(Object requestContext) {
        RequestContext context = (RequestContext) requestContext;
        var tags = quotas.getOrCreateQuotaSensors(sessionOf(context), context.header.clientId())
                .metricTags();
        Metrics metrics = apis.metrics();
        MetricName name = metrics.metricName("byte-rate", QuotaType.FETCH.toString(), "", tags);
        KafkaMetric rate = metrics.metric(name);
        if (rate == null || rate.config().quota() == null) {
            return new ReadQuota(tags, 0);
        }
        MetricConfig config = rate.config();
        double bound = config.quota().bound();
        if (bound >= NO_BOUND) {
            return null;
        }
        // The rate's window is at least this long, so the result never exceeds the rest of the quota.
        double windowSeconds = (config.samples() - 1) * config.timeWindowMs() / 1e3;
        return new ReadQuota(tags, (long) ((bound - (double) rate.metricValue()) * windowSeconds));
    }

    private static Session sessionOf(RequestContext context) {
        return new Session(context.principal, context.clientAddress);
    }
}
