// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

/** One of those that a workload is measured on by turns, such as the ways to the broker. */
public record Side(String id, String label) {
    /** The base of all ratios. */
    public static final Side DIRECT = new Side("DIRECT", "direct");
    /** The one that targets are about. */
    public static final Side RDMA = new Side("PROXY_RDMA", "proxy, RDMA");
}
