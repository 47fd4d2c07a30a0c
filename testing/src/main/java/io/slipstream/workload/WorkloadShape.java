// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.util.List;
import java.util.Map;

/**
 * Where a plan's clients enter and what its topics are like.
 *
 * @param entrances of producers, consumers, members and copiers, each kind in turn by its number
 * @param topicSettings of all its topics
 * @param refusedBytes filler of a record that brokers refuse, of which producers without a sequence send some; 0 for none. With a sequence a refused batch makes the client number those in
 *     flight behind it anew, of which stock brokers may take one as the first they see (docs/reliability.md, seed 3939405903)
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
