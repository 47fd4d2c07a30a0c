// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

/** What a process is in the topology. */
public enum Role {
    PROXY,
    BROKER
}
