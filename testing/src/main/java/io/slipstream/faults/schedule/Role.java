// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

/** The role of a process in the topology. */
public enum Role {
    PROXY,
    BROKER
}
