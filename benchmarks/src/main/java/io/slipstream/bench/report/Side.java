// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

/** A variant on which a workload is measured in turn, such as a way to the broker. */
public record Side(String id, String label) {
    /** The base of all ratios. */
    public static final Side DIRECT = new Side("DIRECT", "direct");
    /** The side of the targets. */
    public static final Side RDMA = new Side("PROXY_RDMA", "proxy, RDMA");
    /** The bare echo of the same sizes. */
    public static final Side FLOOR = new Side("ECHO", "echo floor");
    /** The client directly at a leader whose followers fetch by RDMA. */
    public static final Side FOLLOWERS = new Side("FOLLOWERS", "direct, followers RDMA");
    /** A proxy and followers by RDMA. */
    public static final Side BOTH = new Side("BOTH", "proxy and followers, RDMA");
}
