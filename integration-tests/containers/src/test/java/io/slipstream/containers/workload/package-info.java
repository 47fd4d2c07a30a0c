// SPDX-License-Identifier: Apache-2.0
/**
 * Clients in four languages at work in containers ({@code clients/README.md}), and what they wrote, judged against the brokers' logs: {@link io.slipstream.containers.workload.ClientResults} reads it,
 * {@link io.slipstream.containers.workload.WorkloadHistory} makes a history of it, which {@link io.slipstream.checker.Checker} judges like those of other tests.
 */
package io.slipstream.containers.workload;
