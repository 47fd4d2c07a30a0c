// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.protocol.control.ControlRequest;

/**
 * Counts the links whose memory is not free, and says whether one more may be opened. Each of {@code
 * slipstream.max.links} proxies gets a link. Further links of busy proxies have a bound of their own, so they exclude
 * no proxy. Instances are confined to the control thread.
 */
public final class LinkLimits {
    private static final int LEAST_FURTHER_LINKS = 32;
    private static final int MIN_REPLY_RING_BYTES = 4096;

    private final PluginConfig config;
    int links;
    private int proxies;

    LinkLimits(PluginConfig config) {
        this.config = config;
    }

    /** Returns the largest number of completions that the links of one thread can cause. */
    public static int completionsPerThread(PluginConfig config) {
        return linksPerThread(config) * (LinkTable.SEND_DEPTH + config.ringCredits() + 1);
    }

    /** One link of each proxy, and some further ones: a completion queue of a device has a largest size. */
    public static int linksPerThread(PluginConfig config) {
        return (mostLinks(config) + config.handlerThreads() - 1) / config.handlerThreads();
    }

    /** Returns the thread of the next link. On up to three processors links fill one first: one wake-up serves all. */
    int nextThread(int[] links, int processors) {
        int inTurn = processors > 3 ? 1 : linksPerThread(config);
        int next = 0;
        for (int i = 1; i < links.length; i++) {
            next = links[i] / inTurn < links[next] / inTurn ? i : next;
        }
        return next;
    }

    static int mostLinks(PluginConfig config) {
        return config.maxLinks() + furtherLinks(config);
    }

    private static int furtherLinks(PluginConfig config) {
        return Math.min(config.maxLinks() - 1, Math.max(LEAST_FURTHER_LINKS, config.maxLinks() / 4));
    }

    /** Returns null if the link may be opened. */
    String refusal(ControlRequest.OpenLink request, long linksOfProxy) {
        int replyRingBytes = request.replyRingBytes();
        if (replyRingBytes < MIN_REPLY_RING_BYTES
                || replyRingBytes > config.ringBytes()
                || Integer.bitCount(replyRingBytes) != 1
                || request.credits() < 1) {
            return "reply ring of " + replyRingBytes + " bytes, " + request.credits()
                    + " credits: a ring must be a power of two from " + MIN_REPLY_RING_BYTES + " to "
                    + config.ringBytes() + ", see " + PluginKeys.RING_BYTES;
        } else if (linksOfProxy == 0 ? proxies >= config.maxLinks() : links - proxies >= furtherLinks(config)) {
            return links + " links of " + proxies + " proxies are open, see " + PluginKeys.MAX_LINKS;
        }
        return linksOfProxy < config.maxLinksPerConnection()
                ? null
                : "the proxy has " + linksOfProxy + " links, see " + PluginKeys.MAX_LINKS_PER_CONNECTION;
    }

    /** Counts links that were opened, or, with a negative number, freed. */
    void count(boolean isFirstOfProxy, int change) {
        links += change;
        proxies += isFirstOfProxy ? change : 0;
    }
}
