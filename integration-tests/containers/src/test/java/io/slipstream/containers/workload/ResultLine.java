// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Map;

/**
 * One output line of a client. Its fields depend on the event, see {@code clients/README.md}. Missing numbers are 0.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record ResultLine(
        String event,
        long at,
        String language,
        String topic,
        String group,
        long run,
        int partition,
        int sequence,
        int count,
        long offset,
        boolean intact,
        List<Integer> partitions,
        long since,
        Map<Integer, Long> offsets,
        String outcome,
        String error,
        long records,
        long unfinished) {
    static final String STARTED = "started";
    static final String SENDING = "sending";
    static final String ACKNOWLEDGED = "acknowledged";
    static final String GIVEN_UP = "given-up";
    static final String ASSIGNED = "assigned";
    static final String REVOKED = "revoked";
    static final String READ = "read";
    static final String COMMITTED = "committed";
    static final String TROUBLE = "trouble";
    static final String ENDED = "ended";
    static final String CRASHED = "crashed";

    boolean is(String kind) {
        return kind.equals(event);
    }
}
