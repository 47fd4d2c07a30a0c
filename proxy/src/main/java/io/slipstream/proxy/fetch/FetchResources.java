// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.channel.EventLoop;
import io.slipstream.link.LinkEnvironment;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.count.PartitionTable;

/**
 * Objects that the fetches of all clients of one event loop share. Confined to that loop.
 *
 * @param partitions counts of served data
 */
public record FetchResources(
        EventLoop loop,
        LinkEnvironment environment,
        FastPathSettings settings,
        SharedReads reads,
        FetchSessions sessions,
        PartitionTable partitions) {}
