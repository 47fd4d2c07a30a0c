// SPDX-License-Identifier: Apache-2.0
/**
 * The workload client with Kafka's own library. {@code ../README.md} describes its behaviour and output, which equal
 * those in other languages.
 */
package io.slipstream.containers.client;
