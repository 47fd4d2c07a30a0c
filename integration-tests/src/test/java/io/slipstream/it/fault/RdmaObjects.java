// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's RDMA objects of all processes, from {@code rdma resource show}: pd, cq, qp, mr, cm_id and so on of each
 * device.
 */
record RdmaObjects(Map<String, Integer> byKind) {
    private static final Pattern KIND = Pattern.compile("\\b([a-z_]+) (\\d+)");

    static RdmaObjects count() throws IOException, InterruptedException {
        Map<String, Integer> counts = new TreeMap<>();
        for (String device : Commands.run("rdma", "resource", "show").split("\n")) {
            // 0: rxe0: pd 1 cq 1 qp 1 cm_id 0 mr 0 ctx 0
            Matcher kinds = KIND.matcher(device);
            while (kinds.find()) {
                counts.merge(kinds.group(1), Integer.parseInt(kinds.group(2)), Integer::sum);
            }
        }
        if (counts.isEmpty()) {
            throw new IllegalStateException("rdma resource show named no device");
        }
        return new RdmaObjects(Map.copyOf(counts));
    }
}
