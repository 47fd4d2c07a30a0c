// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import io.slipstream.harness.raw.TopicRef;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * What generated requests name on one path. No two paths share any of it, because one broker may serve both.
 *
 * @param own begin of all other names: groups, transactional ids, users and topics that requests create
 * @param topic it has one partition with records, and no request changes it
 * @param changed it has one partition, and requests change it
 * @param logDirectory of the broker
 * @param producers by transactional id
 */
public record Names(
        String own,
        TopicRef topic,
        TopicRef changed,
        int nodeId,
        String logDirectory,
        Map<String, Producer> producers) {
    /** No topic has it. */
    static final Uuid UNKNOWN_ID = new Uuid(0x1122_3344_5566_7788L, 0x1122_3344_5566_7788L);

    /** A producer that has a transactional id. */
    public record Producer(long id, short epoch) {
        static final Producer NONE = new Producer(-1, (short) -1);
    }

    /** A group of no members with an offset of {@link #topic}. */
    String group() {
        return own + "-group";
    }

    /** A share group of no members with a start offset of {@link #topic}. */
    String shareGroup() {
        return own + "-share";
    }

    /** Like {@link #group}, to be deleted by one version. */
    String groupToDelete(boolean early) {
        return own + (early ? "-early" : "-late");
    }

    /** Each request has a transaction of its own, because the end of one is not finished when it is answered. */
    String transactionalId(ApiVersion sent, boolean wrong) {
        return own + "-tx-" + sent.api() + sent.version() + wrong;
    }
}
