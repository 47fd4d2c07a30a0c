// SPDX-License-Identifier: Apache-2.0
/**
 * Clients in four languages in containers ({@code clients/README.md}), and the check of their output against the
 * brokers' logs. {@link io.slipstream.containers.workload.ClientResults} reads the output. {@link
 * io.slipstream.containers.workload.WorkloadHistory} converts it to a history for {@link
 * io.slipstream.checker.Checker}.
 */
package io.slipstream.containers.workload;
