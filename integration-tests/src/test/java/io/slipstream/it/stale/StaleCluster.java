package io.slipstream.it.stale;

import io.slipstream.harness.BrokerCluster;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.ProxyProcess;
import java.nio.file.Path;
import org.apache.kafka.common.TopicPartition;

/** The processes of all rounds: broker 1, which is the controller, broker 2, where the proxy writes, and the proxy. */
record StaleCluster(BrokerCluster brokers, ProxyProcess proxy, StopTrap trap, RecordsOnce records) {
    BrokerProcess written() {
        return brokers.brokers().get(1);
    }

    Path directory(BrokerProcess broker, TopicPartition partition) {
        return broker.logDirectory().resolve(partition.toString());
    }
}
