// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest.PartitionReads;
import io.slipstream.protocol.control.ControlRequest.ReportReads;
import io.slipstream.protocol.control.ControlRequest.SessionReads;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlResponse.ReadAllowance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Read reports received by a plugin's end, and the quota of its answers. On the peer's thread. */
final class PeerBooks {
    /** By slot and generation. */
    final Map<List<Integer>, Long> recordBytes = new HashMap<>();

    final Map<List<Integer>, Integer> fetches = new HashMap<>();
    final Map<Integer, Long> charged = new HashMap<>();
    int reports;
    boolean limiting;
    /** Allowance of each session from now on. */
    long allowedBytes = ReadAllowance.NO_LIMIT;

    ControlResponse enter(ReportReads report) {
        reports++;
        for (PartitionReads reads : report.slots()) {
            List<Integer> slot = List.of(reads.slot(), reads.generation());
            recordBytes.merge(slot, reads.recordBytes(), Long::sum);
            fetches.merge(slot, reads.fetches(), Integer::sum);
        }
        List<ReadAllowance> allowances = new ArrayList<>();
        for (SessionReads reads : report.sessions()) {
            charged.merge(reads.sessionId(), reads.responseBytes(), Long::sum);
            allowances.add(new ReadAllowance(reads.sessionId(), limiting ? allowedBytes : ReadAllowance.NO_LIMIT));
        }
        return new ControlResponse.ReportReads(ControlError.NONE, null, limiting, allowances);
    }
}
