// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.util.List;
import java.util.Map;

/**
 * The bootstrap addresses of a plan's clients and the settings of its topics.
 *
 * @param entrances settings of producers, consumers, members and copiers, each kind in turn by its number
 * @param topicSettings settings of all its topics
 * @param refusedBytes filler size of a record that brokers refuse, sent by some producers without sequences; 0 for
 * none. With sequences, a refused batch makes the client renumber the batches in flight behind it. Stock brokers may
 * accept one of those as the first they see (docs/reliability.md, seed 3939405903)
 */
public record WorkloadShape(List<ClientSettings> entrances, Map<String, String> topicSettings, int refusedBytes) {
    public WorkloadShape {
        if (entrances.isEmpty()) {
            throw new IllegalArgumentException("clients need an entrance");
        }
        entrances = List.copyOf(entrances);
        topicSettings = Map.copyOf(topicSettings);
    }

    static WorkloadShape uniform(ClientSettings clients) {
        return new WorkloadShape(List.of(clients), Map.of(), 0);
    }

    ClientSettings entrance(int number) {
        return entrances.get(number % entrances.size());
    }
}
