// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import io.netty.util.collection.IntObjectHashMap;
import io.slipstream.link.control.ControlEndpoints;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.work.LoopTurn;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** All links of one event loop, by broker. Confined to the event loop. */
public final class BrokerLinks {
    private final LoopTurn turn;
    private final LinkEnvironment environment;
    private final ControlEndpoints endpoints;
    private final LoopMemory memory;
    private final IntObjectHashMap<BrokerLink> byNode = new IntObjectHashMap<>();
    private boolean closed;

    public BrokerLinks(LoopTurn turn, LinkEnvironment environment, ControlEndpoints endpoints, LoopMemory memory) {
        this.turn = turn;
        this.environment = environment;
        this.endpoints = endpoints;
        this.memory = memory;
    }

    /** The link to that broker, created on first use. A proxy serves one cluster, so the node id is the key. */
    public BrokerLink to(String clusterId, int nodeId) {
        BrokerLink link = byNode.get(nodeId);
        if (link == null) {
            link = new BrokerLink(turn, environment, endpoints.of(clusterId, nodeId), memory);
            byNode.put(nodeId, link);
            if (closed) {
                link.close();
            }
        }
        return link;
    }

    /**
     * Closes all links, including those requested later.
     *
     * @return completes on the event loop when all their resources are released
     */
    public CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(
                List.copyOf(byNode.values()).stream().map(BrokerLink::close).toArray(CompletableFuture<?>[]::new));
    }
}
