// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import io.slipstream.it.generated.Names.Producer;

/**
 * The request that is being made.
 *
 * @param wrong whether some of its fields are wrong
 * @param serial number of the request in its script
 */
record Draw(Names names, ApiVersion sent, boolean wrong, int serial) {
    /** A name that no other request has. */
    String fresh() {
        return names.own() + "-fresh-" + serial;
    }

    /** Nothing has this name, and no other request asks for it. */
    String missing() {
        return names.own() + "-missing-" + serial;
    }

    /** Topics that a version creates, for a version of another API to delete. */
    String topicToCreate() {
        return wrong ? fresh() : names.own() + "-new-" + sent.isEarly();
    }

    String transactionalId() {
        return names.transactionalId(sent, wrong);
    }

    Producer producer() {
        return names.producers().getOrDefault(transactionalId(), Producer.NONE);
    }
}
